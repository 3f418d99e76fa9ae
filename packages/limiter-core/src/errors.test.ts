import { expect, test } from 'vitest';
import { CorruptItemError, DeterministicError, InvalidPolicyError, purely, UsherError } from './errors.ts';

const throwing = (error: unknown) => () =>
  purely(() => {
    throw error;
  });

test('an error of code that asks no service is deterministic, with the thrown error as its cause', () => {
  const cause = new RangeError('too far');
  expect(throwing(cause)).toThrow(expect.objectContaining({ name: 'DeterministicError', cause }));
});

test('an error that is deterministic already stays what it is', () => {
  const error = new CorruptItemError('item', 'rev must be a number');
  expect(throwing(error)).toThrow(error);
});

test('the result of code that does not throw is handed on', () => {
  expect(purely(() => 7)).toBe(7);
});

test('a policy that cannot be read is no deterministic error: an operator mends it, and its account waits', () => {
  expect(new InvalidPolicyError('x')).not.toBeInstanceOf(DeterministicError);
  expect(new InvalidPolicyError('x')).toBeInstanceOf(UsherError);
});
