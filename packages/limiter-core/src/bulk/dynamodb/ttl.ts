/** The value of an `expiresAt` attribute, DynamoDB's TTL: whole seconds since the Unix epoch, rounded up. */
export function expiresAt(fromMs: number, keptMs: number): number {
  return Math.ceil((fromMs + keptMs) / 1000);
}

/** True where an item's TTL has passed. DynamoDB deletes it days later; until then it counts as absent. */
export function isExpired(expiresAtSeconds: number | undefined, nowMs: number): boolean {
  return expiresAtSeconds !== undefined && expiresAtSeconds * 1000 <= nowMs;
}
