/** An item's size as DynamoDB counts it (developer guide, "Item sizes and formats"), as lib-dynamodb hands it out. */
export function itemBytes(item: Readonly<Record<string, unknown>>): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);
}

/** Of numbers an upper bound: zeros at their ends are not counted by DynamoDB. */
function valueBytes(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'number') return Math.ceil(String(value).replace(/\D/g, '').length / 2) + 1;
  return value instanceof Uint8Array ? value.byteLength : 1;
}
