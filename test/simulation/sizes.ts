import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import type { Item } from './expressions.ts';

/** DynamoDB's largest sizes, in bytes (developer guide, "Quotas" and "Constraints in Amazon DynamoDB"). */
export const maxItemBytes = 400 * 1024;
export const maxExpressionBytes = 4096;
export const answerBytes = { query: 1024 * 1024, batchGet: 16 * 1024 * 1024 } as const;

/** Refused as DynamoDB refuses a request that breaks its own rules: for good, however often it is sent. */
export function validationError(message: string): Error {
  const metadata = { httpStatusCode: 400 };
  return Object.assign(new Error(message), { name: 'ValidationException', $fault: 'client', $metadata: metadata });
}

/** Throws where an item is larger than the table keeps. */
export function assertFits(item: Item): void {
  if (itemBytes(item) > maxItemBytes) throw validationError('Item size has exceeded the maximum allowed size');
}

/** Throws where an expression is empty or longer than DynamoDB reads; without one there is nothing to refuse. */
export function assertExpression(text: string | undefined): void {
  if (text === '') throw validationError('Invalid expression: The expression can not be empty');
  if (text !== undefined && Buffer.byteLength(text) > maxExpressionBytes) {
    throw validationError('Invalid expression: Expression size has exceeded the maximum allowed size');
  }
}

/** An item's size as DynamoDB counts it ("Item sizes and formats"): names and values, in UTF-8. */
export function itemBytes(item: Item): number {
  return Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + valueBytes(value), 0);
}

function valueBytes(value: AttributeValue): number {
  if (value.S !== undefined) return Buffer.byteLength(value.S);
  if (value.N !== undefined) return Math.ceil(value.N.replace(/^-|\.|e.*$/gi, '').length / 2) + 1;
  if (value.B !== undefined) return value.B.byteLength;
  if (value.L !== undefined) return 3 + value.L.reduce((sum, one) => sum + 1 + valueBytes(one), 0);
  if (value.M !== undefined) return 3 + Object.keys(value.M).length + itemBytes(value.M);
  return 1;
}
