import { expect, test } from 'vitest';
import { chunk, idOf, settled, told } from './testing/deliver.ts';
import { batchOf, deliveryOf } from './testing/messages.ts';
import { PacingQueue } from './testing/pacing-queue.ts';
import { published, taken } from './testing/scripted-clients.ts';
import { ScriptedStore } from './testing/scripted-store.ts';
import { eventIdOf, handedBack, queues, TestWorker } from './testing/test-worker.ts';

const day = 86_400_000;

test('a write whose reply was lost is given back, and its redelivery finds the verdict', async () => {
  const store = new ScriptedStore();
  const worker = new TestWorker({ store, policy: { dailyLimit: 1 } });
  store.failingWrites.set('ada', 'after');
  expect(await settled(worker, { a: chunk('ada', 0) })).toEqual(['a']);
  store.failingWrites.clear();
  expect(await settled(worker, { a: chunk('ada', 0) })).toEqual([]);
  expect(await worker.used('ada')).toBe(1);
  expect(worker.events('Reservations Rejected')).toEqual([]);
  expect([worker.metrics.get('Granted'), worker.metrics.get('Replayed')]).toEqual([0, 1]);
});

test('case 5: with 200 ms left after the fourth of ten messages the rest is given back, and counts once in the end', async () => {
  const worker = new TestWorker();
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
  // Ten slots each, so that each message takes one call to the dispatch queue.
  const batch = Object.fromEntries(names.map((name) => [name, chunk(name, 0, [20, ...Array<number>(9).fill(10)])]));
  const sentOf = (): number => worker.sendCalls.filter(({ queueUrl }) => queueUrl === queues.dispatch).length;
  const deadline = { getRemainingTimeInMillis: () => (sentOf() < 4 ? 20_000 : 200) };
  expect(handedBack(await worker.settle(batchOf(batch), deadline))).toEqual(names.slice(4));
  const first = worker.eventIds();
  expect(await settled(worker, batch)).toEqual([]);
  expect(await Promise.all(names.map((name) => worker.used(name)))).toEqual(names.map(() => 110));
  expect(worker.store.ledger()).toHaveLength(10);
  expect(new Set(worker.eventIds())).toEqual(new Set(first));
  expect(new Set(worker.dispatches().map(({ dispatchId }) => dispatchId)).size).toBe(100);
});

test('case 6: the same delivery twice in a batch and again in the next is counted once, with equal outcomes', async () => {
  const worker = new TestWorker();
  const delivery = deliveryOf(chunk('ada', 0, [2, 3]), 'a');
  await worker.settle({ Records: [delivery, delivery] });
  const first = told(worker);
  await worker.settle({ Records: [delivery] });
  expect(told(worker)).toEqual(first);
  expect(await worker.used('ada')).toBe(5);
  expect(worker.metrics.get('Granted')).toBe(2);
});

test('case 29: the same chunk under two messages is counted, published and dispatched once, and both are acknowledged', async () => {
  const worker = new TestWorker();
  const message = chunk('ada', 0);
  for (const delivery of ['decision', 'replay']) {
    expect(await settled(worker, { [`${delivery} 1`]: message, [`${delivery} 2`]: message })).toEqual([]);
    expect(worker.eventIds()).toEqual([`${idOf(message)}#usage`]);
    expect(worker.dispatches()).toHaveLength(1);
    worker.forget();
  }
  expect(await worker.used('ada')).toBe(1);
});

test('a repeat of a chunk whose events failed is given back with it', async () => {
  const worker = new TestWorker();
  worker.answerPut = () => new Error('down');
  expect(await settled(worker, { one: chunk('ada', 0), two: chunk('ada', 0) })).toEqual(['one', 'two']);
});

test('case 18: the day of acceptance counts, however late it is settled and settled again', async () => {
  const worker = new TestWorker();
  worker.clock.set(Date.parse('2026-11-30T00:00:03.000Z'));
  const message = chunk('ada', 0, [4], { acceptedAt: '2026-11-29T23:59:59.900Z' });
  await settled(worker, { a: message });
  const first = told(worker);
  worker.clock.set(Date.parse('2026-11-30T00:05:00.000Z'));
  await settled(worker, { a: message });
  expect(told(worker)).toEqual(first);
  expect([await worker.used('ada', '2026-11-29'), await worker.used('ada', '2026-11-30')]).toEqual([4, 0]);
});

test('case 28: counted, then crashed, then the policy changed: the first verdict with its slots, ids and events', async () => {
  const store = new ScriptedStore();
  const worker = new TestWorker({ store, policy: { dailyLimit: 30, refillPerSecond: 1, burst: 5, thresholds: [0.5] } });
  const message = chunk('ada', 0, [5, 3, 20, 9, 2]);
  store.failingEntries.add(idOf(message));
  expect(await settled(worker, { a: message })).toEqual(['a']);
  expect([worker.events(), worker.dispatches()]).toEqual([[], []]);

  store.failingEntries.clear();
  store.setOverrides('ada', { dailyLimit: 4, refillPerSecond: 100, burst: 1, mode: 'observe', thresholds: [1] });
  expect(await settled(worker, { a: message })).toEqual([]);
  const first = told(worker);
  expect(first).toMatchObject({
    events: [
      { id: `${idOf(message)}#rejected#0` },
      { id: `${idOf(message)}#usage` },
      { id: `${idOf(message)}#threshold#day#0.5` },
    ],
    dispatches: [0, 3, 23, 25].map((slot) => ({ dispatchId: `${idOf(message)}#${slot}` })),
  });

  worker.clock.advance(90_000);
  expect(await settled(worker, { a: message })).toEqual([]);
  expect(told(worker)).toEqual(first);
  expect(await worker.used('ada')).toBe(30);
});

test('an event of one delivery that the bus does not take gives that delivery back, and its account with it', async () => {
  const worker = new TestWorker();
  const batch = { a: chunk('ada', 0), b1: chunk('bob', 0), b2: chunk('bob', 1), c: chunk('cid', 0) };
  worker.answerPut = (entries) => ({
    Entries: entries.map(({ Detail = '' }) =>
      eventIdOf(Detail) === `${idOf(batch.b1)}#usage` ? { ErrorCode: 'InternalFailure' } : { EventId: 'e' },
    ),
  });
  expect(await settled(worker, batch)).toEqual(['b1', 'b2']);
  expect(worker.dispatches().map(({ accountId }) => accountId)).toEqual(['ada', 'cid']);
  expect(worker.metrics.get('EventFailures')).toBe(4);

  worker.answerPut = published;
  worker.forget();
  expect(await settled(worker, { b1: batch.b1, b2: batch.b2 })).toEqual([]);
  expect(worker.dispatches().map(({ dispatchId }) => dispatchId)).toEqual([
    `${idOf(batch.b1)}#0`,
    `${idOf(batch.b2)}#0`,
  ]);
  expect(await worker.used('bob')).toBe(2);
});

test('dispatches that the queue does not take give their deliveries back; the redelivery sends the very same', async () => {
  const worker = new TestWorker();
  const batch = { a: chunk('ada', 0), b: chunk('bob', 0) };
  let untaken = '';
  worker.answerSend = ({ entries }) => {
    untaken = entries[1]?.MessageBody ?? untaken;
    return taken(entries.filter(({ MessageGroupId }) => MessageGroupId !== 'bob'));
  };
  expect(await settled(worker, batch)).toEqual(['b']);
  expect([worker.metrics.get('Dispatched'), worker.metrics.get('SendFailures')]).toEqual([1, 4]);
  worker.answerSend = ({ entries }) => taken(entries);
  worker.forget();
  expect(await settled(worker, { b: batch.b })).toEqual([]);
  expect(worker.sent('dispatch').map(({ body }) => body)).toEqual([untaken]);
});

test('an old chunk that was settled in time is replayed, not put aside', async () => {
  const worker = new TestWorker();
  await settled(worker, { a: chunk('ada', 0) });
  const first = told(worker);
  worker.clock.advance(29 * day);
  expect(await settled(worker, { a: chunk('ada', 0) })).toEqual([]);
  expect(told(worker)).toEqual(first);
  expect(worker.sent('quarantine')).toEqual([]);
});

test('a chunk delivered again while its far rows wait in pacing repeats near dispatches to the letter, and far ones not at all', async () => {
  const worker = new TestWorker({ policy: { dailyLimit: 10_000, refillPerSecond: 1, burst: 1 } });
  const queue = new PacingQueue(worker);
  const message = chunk('ada', 0, Array<number>(100).fill(30));
  for (const delivery of ['first', 'again']) {
    expect(await settled(worker, { [delivery]: message })).toEqual([]);
    queue.collect();
    worker.clock.advance(10 * 60_000);
  }
  await queue.drain();
  const copies = Map.groupBy(queue.arrivals, ({ dispatch }) => dispatch.dispatchId);
  expect(copies.size).toBe(100);
  for (const [first, ...others] of copies.values()) {
    for (const { dispatch } of others) expect(dispatch).toEqual(first?.dispatch);
  }
  // Each delivery hands on what is due within 15 minutes of it, the pacer the rest.
  const repeats = queue.arrivals.length - copies.size;
  expect(repeats).toBeGreaterThan(0);
  expect(repeats).toBeLessThan(60);
});
