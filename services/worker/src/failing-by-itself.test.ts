import { receiveBounds } from '@usher/contracts';
import { describe, expect, test } from 'vitest';
import { toPacing } from './hand-off.ts';
import { chunk, idOf, settledAt } from './testing/deliver.ts';
import { deliveryOf, noon, rowsOf, secret } from './testing/messages.ts';
import { taken } from './testing/scripted-clients.ts';
import { ScriptedStore } from './testing/scripted-store.ts';
import { settledInTurn } from './testing/slots.ts';
import { checkedDetail, handedBack, queues, TestWorker } from './testing/test-worker.ts';

const last = receiveBounds.deterministicError;

function scripted() {
  const store = new ScriptedStore();
  return { store, worker: new TestWorker({ store }) };
}

/** The ids of what lies in quarantine, with the reasons. */
const aside = (worker: TestWorker): unknown => worker.quarantined().map(({ messageId, reason }) => [messageId, reason]);

const dispatchedOf = (worker: TestWorker): string[] => worker.dispatches().map(({ dispatchId }) => dispatchId);

describe('a chunk that fails by itself', () => {
  test.each([1, last - 1])('comes again while it was received %i times', async (receives) => {
    const { store, worker } = scripted();
    const message = chunk('ada', 0);
    store.unwritable.add(idOf(message));
    expect(await settledAt(worker, receives, { a: message })).toEqual(['a']);
    expect(aside(worker)).toEqual([]);
  });

  test.each([last, last + 1, 599])('goes to quarantine when it was received %i times', async (receives) => {
    const { store, worker } = scripted();
    const message = chunk('ada', 0, [1], { reservations: rowsOf([1]) });
    store.unwritable.add(idOf(message));
    expect(await settledAt(worker, receives, { a: message })).toEqual([]);
    expect(aside(worker)).toEqual([['a', 'processing_failed']]);
    expect(worker.events().map(checkedDetail)).toMatchObject([
      {
        metadata: { id: 'a' },
        data: { reason: 'processing_failed', accountId: 'ada', bookingId: message.bookingId, chunk: 0 },
      },
    ]);
    expect(await worker.used('ada')).toBe(0);
    expect(worker.quarantined()[0]).toMatchObject({
      problem: 'DeterministicError: Code failed on its input; cause: RangeError',
      body: JSON.stringify(message),
    });
  });

  test('is put aside alone: what is before it is settled, what is behind it comes again and is settled then', async () => {
    const { store, worker } = scripted();
    const batch = { before: chunk('ada', 0), bad: chunk('ada', 1), behind: chunk('ada', 2), other: chunk('bob', 0) };
    store.unwritable.add(idOf(batch.bad));
    expect(await settledAt(worker, last, batch)).toEqual(['behind']);
    expect(aside(worker)).toEqual([['bad', 'processing_failed']]);
    expect(dispatchedOf(worker).sort()).toEqual([batch.before, batch.other].map((one) => `${idOf(one)}#0`).sort());
    worker.forget();
    expect(await settledAt(worker, last + 1, { behind: batch.behind })).toEqual([]);
    expect(dispatchedOf(worker)).toEqual([`${idOf(batch.behind)}#0`]);
    expect(await worker.used('ada')).toBe(2);
  });

  test('is not put aside before what failed in front of it', async () => {
    const { store, worker } = scripted();
    const batch = { first: [chunk('ada', 0), last - 1] as const, second: [chunk('ada', 1), last] as const };
    for (const [message] of Object.values(batch)) store.unwritable.add(idOf(message));
    expect(await settledAt(worker, last, batch)).toEqual(['first', 'second']);
    expect(aside(worker)).toEqual([]);
  });

  test('that cannot be put aside comes again, with all behind it', async () => {
    const { store, worker } = scripted();
    const batch = { bad: chunk('ada', 0), behind: chunk('ada', 1) };
    store.unwritable.add(idOf(batch.bad));
    worker.answerSend = ({ queueUrl, entries }) =>
      queueUrl === queues.quarantine ? new Error('down') : taken(entries);
    expect((await settledAt(worker, last, batch)).sort()).toEqual(['bad', 'behind']);
  });

  test('with all others of its account gives up one by one, and no other account waits', async () => {
    const { store, worker } = scripted();
    for (const n of [0, 1]) store.unwritable.add(idOf(chunk('ada', n)));
    expect(await settledAt(worker, last, { a: chunk('ada', 0), b: chunk('ada', 1), c: chunk('bob', 0) })).toEqual([
      'b',
    ]);
    expect(aside(worker)).toEqual([['a', 'processing_failed']]);
    expect(await worker.used('bob')).toBe(1);
  });

  test('by a verdict that no event can be made of, fails alone and is put aside, its dispatches unsent', async () => {
    const { store, worker } = scripted();
    const batch = { bad: chunk('ada', 0), behind: chunk('ada', 1), other: chunk('bob', 0) };
    await settledAt(worker, 1, batch);
    worker.forget();
    store.untellable.add(idOf(batch.bad));
    expect(await settledAt(worker, 2, batch)).toEqual(['bad', 'behind']);
    expect(dispatchedOf(worker)).toEqual([`${idOf(batch.other)}#0`]);
    worker.forget();
    expect(await settledAt(worker, last, batch)).toEqual(['behind']);
    expect(aside(worker)).toEqual([['bad', 'processing_failed']]);
    expect(dispatchedOf(worker)).toEqual([`${idOf(batch.other)}#0`]);
  });
});

describe('what is no fault of the message', () => {
  const services: [string, (store: ScriptedStore) => void][] = [
    ['the table', (store) => store.failingWrites.set('ada', 'before')],
    ['the ledger', (store) => store.failingEntries.add(idOf(chunk('ada', 0)))],
    ['a policy that cannot be read', (store) => store.setOverrides('ada', { dailyLimit: 'many' })],
  ];
  test.each(services)('%s puts nothing aside, however often it fails', async (_, fail) => {
    const { store, worker } = scripted();
    fail(store);
    for (const receives of [last - 1, last, 599]) {
      expect(await settledAt(worker, receives, { a: chunk('ada', 0) })).toEqual(['a']);
    }
    expect(worker.sent('quarantine')).toEqual([]);
  });

  test('an outage of the bus or of a queue puts nothing aside', async () => {
    const { worker } = scripted();
    worker.answerPut = () => new Error('down');
    expect(await settledAt(worker, 599, { a: chunk('ada', 0) })).toEqual(['a']);
    worker.answerPut = (entries) => ({ Entries: entries.map(() => ({ EventId: 'e' })) });
    worker.answerSend = () => new Error('down');
    expect(await settledAt(worker, 599, { a: chunk('ada', 0) })).toEqual(['a']);
    expect(worker.sent('quarantine')).toEqual([]);
  });

  test('a first run at the seventh receive, or at the 599th, is a run like any other', async () => {
    const { worker } = scripted();
    expect(await settledAt(worker, 7, { a: chunk('ada', 0) })).toEqual([]);
    expect(await settledAt(worker, 599, { b: chunk('ada', 1) })).toEqual([]);
    expect(await worker.used('ada')).toBe(2);
  });
});

describe('a pacing message', () => {
  const pacing = (settledAt: string, dispatchAt = settledAt): string => {
    const [own] = settledInTurn({ chunks: [[1]], rate: { refillPerSecond: 1, burst: 1 } });
    if (own === undefined) throw new Error('no chunk');
    const body = toPacing(own, 'settled');
    const reservations = body.reservations.map((row) => ({ ...row, dispatchAt }));
    return JSON.stringify({ ...body, settledAt, reservations });
  };

  const never = '9999-12-31T00:00:00.000Z';
  test.each([
    ['with its decision', never],
    ['alone', noon],
  ])('due at an instant that never comes, %s, is put aside and does not hop for ever', async (_, settledAt) => {
    const { worker } = scripted();
    const event = { Records: [deliveryOf(pacing(settledAt, never), 'p')] };
    expect(handedBack(await worker.pace(event))).toEqual([]);
    expect(aside(worker)).toEqual([['p', 'invalid_message']]);
    expect(worker.pacings()).toEqual([]);
  });

  test('of a decision this clock is behind of is passed on', async () => {
    const { worker } = scripted();
    const ahead = new Date(Date.parse(noon) + 60_000).toISOString();
    await worker.pace({ Records: [deliveryOf(pacing(ahead), 'p')] });
    expect(worker.dispatches()).toHaveLength(1);
  });
});

test('what is told of a failure never repeats what partners sent', async () => {
  const { store, worker } = scripted();
  const message = chunk('ada', 0);
  store.unwritable.add(idOf(message));
  await settledAt(worker, last - 1, { a: message });
  expect(worker.everythingObserved()).toContain('RangeError');
  expect(worker.everythingObserved()).not.toContain(secret);
});
