import { receiveBounds } from '@usher/contracts';
import { describe, expect, test } from 'vitest';
import { turnsOf } from './receives.ts';
import { chunk, idOf, settledAt } from './testing/deliver.ts';
import { deliveryOf } from './testing/messages.ts';
import { ScriptedStore } from './testing/scripted-store.ts';
import { handedBack, TestWorker } from './testing/test-worker.ts';

const often = receiveBounds.settledWithOthers + 1;

/** The turns of deliveries of the given accounts and counts, by name. */
function turns(deliveries: Record<string, readonly [account: string, receives: number]>): string[][] {
  const all = Object.entries(deliveries).map(([name, [accountId, receives]]) => ({
    accountId,
    delivery: deliveryOf('{}', name, undefined, receives),
  }));
  return turnsOf(all).map((turn) => turn.map(({ delivery }) => delivery.messageId));
}

describe('the turns of a batch', () => {
  test('are one while nothing was received often', () => {
    expect(turns({ a: ['ada', 1], b: ['bob', often - 1], c: ['ada', 1] })).toEqual([['a', 'b', 'c']]);
  });

  test('come to the most received last, account by account', () => {
    expect(turns({ a: ['ada', 600], b: ['bob', 1], c: ['cid', often], d: ['dan', 9] })).toEqual([
      ['b'],
      ['c'],
      ['d'],
      ['a'],
    ]);
  });

  test('keep an account together and in its order, whichever of its deliveries was received often', () => {
    expect(turns({ a1: ['ada', 1], b1: ['bob', 1], a2: ['ada', often], a3: ['ada', 1] })).toEqual([
      ['b1'],
      ['a1', 'a2', 'a3'],
    ]);
  });

  test('take a delivery without a count for a new one', () => {
    expect(turns({ a: ['ada', Number.NaN], b: ['bob', 1] })).toEqual([['a', 'b']]);
  });

  test('of nothing are none', () => {
    expect(turns({})).toEqual([]);
  });
});

test('an account that was received often and uses up the time takes no other along', async () => {
  const store = new ScriptedStore();
  const worker = new TestWorker({ store });
  let remainingMs = 60_000;
  store.onWrite = ({ accountId }) => {
    if (accountId === 'ada') remainingMs = 0;
  };
  const Records = [
    deliveryOf(chunk('ada', 0), 'a', undefined, often),
    deliveryOf(chunk('bob', 0), 'b'),
    deliveryOf(chunk('cid', 0), 'c'),
  ];
  const answer = await worker.settle({ Records }, { getRemainingTimeInMillis: () => remainingMs });
  expect(handedBack(answer)).toEqual(['a']);
  expect(worker.dispatches().map(({ accountId }) => accountId)).toEqual(['bob', 'cid']);
});

test('an account that was received often is settled in its order, and as if it had come for the first time', async () => {
  const worker = new TestWorker({ policy: { dailyLimit: 3 } });
  const batch = { a1: chunk('ada', 0, [2]), b: chunk('bob', 0), a2: [chunk('ada', 1, [2]), often] as const };
  expect(await settledAt(worker, 1, batch)).toEqual([]);
  const rejected = worker.events('Reservations Rejected').map(({ id }) => id);
  expect(rejected).toEqual([`${idOf(batch.a2[0])}#rejected#0`]);
});
