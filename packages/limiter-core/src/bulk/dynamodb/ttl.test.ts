import { expect, test } from 'vitest';
import { expiresAt, isExpired } from './ttl.ts';

test('an item past its time counts as absent at once, whenever it is deleted', () => {
  const at = expiresAt(1_000_500, 2000);
  expect(at).toBe(1003);
  expect(isExpired(at, 1_002_999)).toBe(false);
  expect(isExpired(at, 1_003_000)).toBe(true);
  expect(isExpired(undefined, 1_003_000)).toBe(false);
});
