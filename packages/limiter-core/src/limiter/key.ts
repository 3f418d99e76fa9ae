import { InvalidArgumentError } from '../errors.ts';

/** @throws InvalidArgumentError for anything but a string of at least one character, well-formed in UTF-16 */
export function assertKey(key: unknown): asserts key is string {
  if (typeof key !== 'string' || key === '') {
    throw new InvalidArgumentError(`key must be a string of at least one character (was ${describe(key)})`);
  }
  // Lone surrogates all become the same replacement character in UTF-8: two such keys would share a limit.
  if (!key.isWellFormed()) throw new InvalidArgumentError('key must not have lone surrogates');
}

/** @throws InvalidArgumentError for anything but a whole number ≥ 0 */
export function assertCost(cost: unknown): asserts cost is number {
  if (!Number.isSafeInteger(cost) || (cost as number) < 0) {
    throw new InvalidArgumentError(`cost must be a whole number ≥ 0 (was ${describe(cost)})`);
  }
}

function describe(value: unknown): string {
  if (value === '') return 'an empty string';
  return typeof value === 'string' ? `the string ${value}` : String(value);
}
