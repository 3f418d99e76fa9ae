import { expect, test } from 'vitest';
import { chunk, idOf, settled, told } from './testing/deliver.ts';
import { FaultyStore } from './testing/faulty-store.ts';
import { batchOf, deliveryOf } from './testing/messages.ts';
import { PacingQueue } from './testing/pacing-queue.ts';
import { published, taken } from './testing/scripted-clients.ts';
import { eventIdOf, handedBack, plentyOfTime, queues, World } from './testing/world.ts';

const day = 86_400_000;

test('a write whose reply was lost is given back, and its redelivery finds the verdict', async () => {
  const store = new FaultyStore();
  const world = new World({ store, policy: { dailyLimit: 1 } });
  store.failingWrites.set('ada', 'after');
  expect(await settled(world, { a: chunk('ada', 0) })).toEqual(['a']);
  store.failingWrites.clear();
  expect(await settled(world, { a: chunk('ada', 0) })).toEqual([]);
  expect(await world.used('ada')).toBe(1);
  expect(world.events('Reservations Rejected')).toEqual([]);
  expect([world.metrics.get('Granted'), world.metrics.get('Replayed')]).toEqual([0, 1]);
});

test('case 5: with 200 ms left after the fourth of ten messages the rest is given back, and counts once in the end', async () => {
  const world = new World();
  const names = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j'];
  // Ten slots each, so that each message takes one call to the dispatch queue.
  const batch = Object.fromEntries(names.map((name) => [name, chunk(name, 0, [20, ...Array<number>(9).fill(10)])]));
  const sentOf = (): number => world.sendCalls.filter(({ queueUrl }) => queueUrl === queues.dispatch).length;
  const deadline = { getRemainingTimeInMillis: () => (sentOf() < 4 ? 20_000 : 200) };
  expect(handedBack(await world.worker.settle(batchOf(batch), deadline))).toEqual(names.slice(4));
  const first = world.eventIds();
  expect(await settled(world, batch)).toEqual([]);
  expect(await Promise.all(names.map((name) => world.used(name)))).toEqual(names.map(() => 110));
  expect(world.store.ledger()).toHaveLength(10);
  expect(new Set(world.eventIds())).toEqual(new Set(first));
  expect(new Set(world.dispatches().map(({ dispatchId }) => dispatchId)).size).toBe(100);
});

test('case 6: the same record twice in a batch and again in the next is counted once, with equal outcomes', async () => {
  const world = new World();
  const record = deliveryOf(chunk('ada', 0, [2, 3]), 'a');
  await world.worker.settle({ Records: [record, record] }, plentyOfTime);
  const first = told(world);
  await world.worker.settle({ Records: [record] }, plentyOfTime);
  expect(told(world)).toEqual(first);
  expect(await world.used('ada')).toBe(5);
  expect(world.metrics.get('Granted')).toBe(2);
});

test('case 29: the same chunk under two messages is counted, published and dispatched once, and both are acknowledged', async () => {
  const world = new World();
  const message = chunk('ada', 0);
  for (const delivery of ['decision', 'replay']) {
    expect(await settled(world, { [`${delivery} 1`]: message, [`${delivery} 2`]: message })).toEqual([]);
    expect(world.eventIds()).toEqual([`${idOf(message)}#usage`]);
    expect(world.dispatches()).toHaveLength(1);
    world.forget();
  }
  expect(await world.used('ada')).toBe(1);
});

test('a repeat of a chunk whose events failed is given back with it', async () => {
  const world = new World();
  world.answerPut = () => new Error('down');
  expect(await settled(world, { one: chunk('ada', 0), two: chunk('ada', 0) })).toEqual(['one', 'two']);
});

test('case 18: the day of acceptance counts, however late it is settled and settled again', async () => {
  const world = new World();
  world.clock.set(Date.parse('2026-11-30T00:00:03.000Z'));
  const message = chunk('ada', 0, [4], { acceptedAt: '2026-11-29T23:59:59.900Z' });
  await settled(world, { a: message });
  const first = told(world);
  world.clock.set(Date.parse('2026-11-30T00:05:00.000Z'));
  await settled(world, { a: message });
  expect(told(world)).toEqual(first);
  expect([await world.used('ada', '2026-11-29'), await world.used('ada', '2026-11-30')]).toEqual([4, 0]);
});

test('case 28: counted, then crashed, then the policy changed: the first verdict with its slots, ids and events', async () => {
  const store = new FaultyStore();
  const world = new World({ store, policy: { dailyLimit: 30, refillPerSecond: 1, burst: 5, thresholds: [0.5] } });
  const message = chunk('ada', 0, [5, 3, 20, 9, 2]);
  store.failingRecords.add(idOf(message));
  expect(await settled(world, { a: message })).toEqual(['a']);
  expect([world.events(), world.dispatches()]).toEqual([[], []]);

  store.failingRecords.clear();
  store.setOverrides('ada', { dailyLimit: 4, refillPerSecond: 100, burst: 1, mode: 'observe', thresholds: [1] });
  expect(await settled(world, { a: message })).toEqual([]);
  const first = told(world);
  expect(first).toMatchObject({
    events: [{ id: `${idOf(message)}#rejected#0` }, { id: `${idOf(message)}#usage` }, { id: 'ada#2026-11-29#30#0.5' }],
    dispatches: [0, 3, 23, 25].map((slot) => ({ dispatchId: `${idOf(message)}#${slot}` })),
  });

  world.clock.advance(90_000);
  expect(await settled(world, { a: message })).toEqual([]);
  expect(told(world)).toEqual(first);
  expect(await world.used('ada')).toBe(30);
});

test('an event of one record that the bus does not take gives that record back, and its account with it', async () => {
  const world = new World();
  const batch = { a: chunk('ada', 0), b1: chunk('bob', 0), b2: chunk('bob', 1), c: chunk('cid', 0) };
  world.answerPut = (entries) => ({
    Entries: entries.map(({ Detail = '' }) =>
      eventIdOf(Detail) === `${idOf(batch.b1)}#usage` ? { ErrorCode: 'InternalFailure' } : { EventId: 'e' },
    ),
  });
  expect(await settled(world, batch)).toEqual(['b1', 'b2']);
  expect(world.dispatches().map(({ accountId }) => accountId)).toEqual(['ada', 'cid']);
  expect(world.metrics.get('EventFailures')).toBe(4);

  world.answerPut = published;
  world.forget();
  expect(await settled(world, { b1: batch.b1, b2: batch.b2 })).toEqual([]);
  expect(world.dispatches().map(({ dispatchId }) => dispatchId)).toEqual([
    `${idOf(batch.b1)}#0`,
    `${idOf(batch.b2)}#0`,
  ]);
  expect(await world.used('bob')).toBe(2);
});

test('dispatches that the queue does not take give their records back; the redelivery sends the very same', async () => {
  const world = new World();
  const batch = { a: chunk('ada', 0), b: chunk('bob', 0) };
  let refused = '';
  world.answerSend = ({ entries }) => {
    refused = entries[1]?.MessageBody ?? refused;
    return taken(entries.filter(({ MessageGroupId }) => MessageGroupId !== 'bob'));
  };
  expect(await settled(world, batch)).toEqual(['b']);
  expect([world.metrics.get('Dispatched'), world.metrics.get('SendFailures')]).toEqual([1, 4]);
  world.answerSend = ({ entries }) => taken(entries);
  world.forget();
  expect(await settled(world, { b: batch.b })).toEqual([]);
  expect(world.sent('dispatch').map(({ body }) => body)).toEqual([refused]);
});

test('an old chunk that was settled in time is replayed, not put aside', async () => {
  const world = new World();
  await settled(world, { a: chunk('ada', 0) });
  const first = told(world);
  world.clock.advance(29 * day);
  expect(await settled(world, { a: chunk('ada', 0) })).toEqual([]);
  expect(told(world)).toEqual(first);
  expect(world.sent('quarantine')).toEqual([]);
});

test('a chunk delivered again while its far rows wait in pacing repeats the very same dispatches', async () => {
  const world = new World({ policy: { dailyLimit: 10_000, refillPerSecond: 1, burst: 1 } });
  const queue = new PacingQueue(world);
  const message = chunk('ada', 0, Array<number>(100).fill(30));
  for (const delivery of ['first', 'again']) {
    expect(await settled(world, { [delivery]: message })).toEqual([]);
    queue.collect();
    world.clock.advance(10 * 60_000);
  }
  await queue.drain();
  const copies = Map.groupBy(queue.arrivals, ({ dispatch }) => dispatch.dispatchId);
  expect(copies.size).toBe(100);
  for (const [first, ...others] of copies.values()) {
    expect(others).toHaveLength(1);
    expect(others[0]?.dispatch).toEqual(first?.dispatch);
  }
});
