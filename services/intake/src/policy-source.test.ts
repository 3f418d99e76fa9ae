import { builtInPolicy, newAccount, virtualClock } from '@usher/limiter-core/bulk';
import { expect, test } from 'vitest';
import { UnavailableError } from './errors.ts';
import { type AccountReader, PolicySource } from './policy-source.ts';

/** Accounts whose limit is how often they have been read. */
function countingReader(): AccountReader & { reads: string[] } {
  const reads: string[] = [];
  return {
    reads,
    readAccounts: async (ids) => {
      reads.push(...ids);
      return new Map(ids.map((id) => [id, { state: newAccount, overrides: { dailyLimit: reads.length } }]));
    },
  };
}

test('a policy is remembered for thirty seconds', async () => {
  const clock = virtualClock('2026-11-29T12:00:00.000Z');
  const accounts = countingReader();
  const source = new PolicySource({ accounts, defaultPolicy: builtInPolicy, clock });
  const limits: number[] = [];
  for (const step of [0, 29_999, 1, 0]) {
    clock.advance(step);
    limits.push((await source.policyOf('acme')).dailyLimit);
  }
  expect(limits).toEqual([1, 1, 2, 2]);
});

test('a clock that went back makes what is remembered of unknown age', async () => {
  const clock = virtualClock('2026-11-29T12:00:00.000Z');
  const accounts = countingReader();
  const source = new PolicySource({ accounts, defaultPolicy: builtInPolicy, clock });
  await source.policyOf('acme');
  clock.advance(-1);
  expect((await source.policyOf('acme')).dailyLimit).toBe(2);
});

test('only so many policies are remembered, the oldest goes first', async () => {
  const clock = virtualClock('2026-11-29T12:00:00.000Z');
  const accounts = countingReader();
  const source = new PolicySource({ accounts, defaultPolicy: builtInPolicy, clock, cacheSize: 2 });
  for (const id of ['a', 'b', 'c', 'c', 'b', 'a']) await source.policyOf(id);
  expect(accounts.reads).toEqual(['a', 'b', 'c', 'a']);
});

test('an account that could not be read is unavailable and never a default', async () => {
  const source = new PolicySource({
    accounts: { readAccounts: async () => new Map([['acme', new Error('unprocessed')]]) },
    defaultPolicy: builtInPolicy,
    clock: virtualClock(0),
  });
  await expect(source.policyOf('acme')).rejects.toThrow(UnavailableError);
});
