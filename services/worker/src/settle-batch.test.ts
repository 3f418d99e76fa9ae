import { expect, test } from 'vitest';
import { chunk, idOf, settled } from './testing/deliver.ts';
import { FaultyStore } from './testing/faulty-store.ts';
import { batchOf, noon, secret } from './testing/messages.ts';
import { published, taken } from './testing/scripted-clients.ts';
import { checkedDetail, handedBack, World } from './testing/world.ts';

test('a chunk is counted, recorded, published and dispatched', async () => {
  const world = new World({ policy: { dailyLimit: 10 } });
  const message = chunk('ada', 0, [6, 5, 4]);
  expect(await settled(world, { a0: message })).toEqual([]);
  expect(await world.used('ada')).toBe(10);
  expect(world.store.ledger()).toMatchObject([
    {
      chunkIndex: 0,
      rows: [
        { id: 'r-0', cost: 6 },
        { id: 'r-1', cost: 5 },
        { id: 'r-2', cost: 4 },
      ],
    },
  ]);
  expect(world.events().map(checkedDetail)).toMatchObject([
    { data: { reservations: [{ id: 'r-1', reason: 'daily_quota_exceeded' }] } },
    { data: { used: 10, granted: { count: 2, cost: 10 }, rejected: { count: 1, cost: 5 } } },
    { data: { threshold: 0.8 } },
    { data: { threshold: 1 } },
  ]);
  expect(world.dispatches().flatMap(({ reservations }) => reservations)).toEqual([
    message.reservations[0],
    message.reservations[2],
  ]);
});

test('an empty batch does nothing', async () => {
  const world = new World();
  expect(await settled(world, {})).toEqual([]);
  expect([world.sendCalls, world.putCalls]).toEqual([[], []]);
});

test('case 2: what the ledger does not take is given back with what follows of its account, and nothing else', async () => {
  const store = new FaultyStore();
  const world = new World({ store });
  const batch = {
    a1: chunk('ada', 1),
    b1: chunk('bob', 1),
    a2: chunk('ada', 2),
    a3: chunk('ada', 3),
    b2: chunk('bob', 2),
  };
  store.failingRecords.add(idOf(batch.a2));
  expect(await settled(world, batch)).toEqual(['a2', 'a3']);
  expect(world.dispatches().map(({ dispatchId }) => dispatchId)).toEqual(
    [batch.a1, batch.b1, batch.b2].map((message) => `${idOf(message)}#0`),
  );
  expect(world.eventIds()).toEqual([batch.a1, batch.b1, batch.b2].map((message) => `${idOf(message)}#usage`));
  store.failingRecords.clear();
  expect(await settled(world, { a2: batch.a2, a3: batch.a3 })).toEqual([]);
  expect(await world.used('ada')).toBe(3);
});

test('case 3: in A1 (fails), B1, A2, B2 the failures are exactly A1 and A2', async () => {
  const store = new FaultyStore();
  const world = new World({ store });
  store.failingWrites.set('ada', 'before');
  const batch = { a1: chunk('ada', 1), b1: chunk('bob', 1), a2: chunk('ada', 2), b2: chunk('bob', 2) };
  expect(await settled(world, batch)).toEqual(['a1', 'a2']);
  expect([await world.used('ada'), await world.used('bob')]).toEqual([0, 2]);
  expect(world.events().filter(({ detail }) => detail.includes('"ada"'))).toEqual([]);
});

test('an account that changed meanwhile is settled again and counted as contention', async () => {
  const store = new FaultyStore();
  const world = new World({ store });
  store.contended.add('ada');
  expect(await settled(world, { a: chunk('ada', 0), b: chunk('bob', 0) })).toEqual([]);
  expect([await world.used('ada'), await world.used('bob')]).toEqual([1, 1]);
  expect(world.metrics.get('ContentionRetries')).toBe(1);
});

test('without time nothing is begun and everything is given back', async () => {
  const world = new World();
  const deadline = { getRemainingTimeInMillis: () => 4_999 };
  const event = batchOf({ a: chunk('ada', 0), bad: '{' });
  expect(handedBack(await world.worker.settle(event, deadline)).sort()).toEqual(['a', 'bad']);
  expect([world.sendCalls, world.putCalls, await world.used('ada')]).toEqual([[], [], 0]);
});

test('with exactly the margin left a batch is worked off', async () => {
  const world = new World();
  const deadline = { getRemainingTimeInMillis: () => 5_000 };
  expect(handedBack(await world.worker.settle(batchOf({ a: chunk('ada', 0) }), deadline))).toEqual([]);
});

test('what is handed back is logged with the reason, and a batch without failures logs no such thing', async () => {
  const store = new FaultyStore();
  const world = new World({ store });
  await settled(world, { a: chunk('ada', 0) });
  const { bookingId } = chunk('ada', 0);
  expect(world.logged).toEqual([
    {
      level: 'info',
      message: 'Chunk settled',
      fields: expect.objectContaining({ accountId: 'ada', bookingId, chunk: 0, origin: 'new' }),
    },
  ]);
  world.logged.length = 0;
  store.failingWrites.set('ada', 'before');
  await settled(world, { b: chunk('ada', 1) });
  expect(world.logged).toEqual([
    {
      level: 'error',
      message: 'A chunk could not be settled',
      fields: expect.objectContaining({ accountId: 'ada', bookingId, chunk: 1 }),
    },
    { level: 'warn', message: 'Messages are handed back', fields: { accountId: 'ada', messageIds: ['b'] } },
  ]);
});

test('the time that settling took is measured', async () => {
  const store = new FaultyStore();
  const world = new World({ store });
  const read = store.readAccounts.bind(store);
  store.readAccounts = async (accountIds) => {
    world.clock.advance(120);
    return read(accountIds);
  };
  await settled(world, { a: chunk('ada', 0) });
  expect(world.metrics.get('SettleLatency')).toBe(120);
});

test('no settling is measured where nothing can be read, no quarantine where all can', async () => {
  const bad = new World();
  await settled(bad, { bad: '{' });
  expect(bad.metrics.has('SettleLatency')).toBe(false);
  const good = new World();
  await settled(good, { a: chunk('ada', 0) });
  expect(good.metrics.has('Quarantined')).toBe(false);
});

test('rows due beyond 15 minutes go to pacing, in one message', async () => {
  const world = new World({ policy: { dailyLimit: 10_000, refillPerSecond: 1, burst: 1 } });
  await settled(world, { a: chunk('ada', 0, [1, 500, 500, 500]) });
  expect(world.dispatches().flatMap(({ reservations }) => reservations.map(({ id }) => id))).toEqual(['r-0', 'r-1']);
  expect(world.pacings().map(({ reservations }) => reservations.map(({ id }) => id))).toEqual([['r-2', 'r-3']]);
  expect(world.pacings()).toMatchObject([{ chunk: 0, settledAt: noon, refillPerSecond: 1, burst: 1 }]);
});

test('observe mode dispatches what it would have rejected, and tells of it', async () => {
  const world = new World({ policy: { dailyLimit: 1, mode: 'observe' } });
  await settled(world, { a: chunk('ada', 0, [1, 1]) });
  expect(world.dispatches().flatMap(({ reservations }) => reservations)).toHaveLength(2);
  expect(world.events('Reservations Rejected').map(checkedDetail)).toMatchObject([
    { data: { mode: 'observe', reservations: [{ id: 'r-1' }] } },
  ]);
});

test.each(['__proto__', 'constructor'])('%s is an account as any other', async (accountId) => {
  const world = new World();
  expect(await settled(world, { a: chunk(accountId, 0), b: chunk('bob', 0) })).toEqual([]);
  expect(await world.used(accountId)).toBe(1);
});

test('logs, metrics and events name ids but never details, whatever goes wrong', async () => {
  const store = new FaultyStore();
  const world = new World({ store, policy: { dailyLimit: 2 } });
  const batch = {
    granted: chunk('ada', 0, [1, 5]),
    unrecorded: chunk('bob', 0),
    unsent: chunk('cid', 0),
    forged: { ...chunk('ada', 0, [2]) },
    malformed: JSON.stringify(chunk('dan', 0)).replace('"cost":1', '"cost":0'),
    broken: `{"reservations":[{"details":"${secret}"`,
  };
  store.failingRecords.add(idOf(batch.unrecorded));
  world.answerSend = ({ entries }) => taken(entries.filter(({ MessageGroupId }) => MessageGroupId !== 'cid'));
  world.answerPut = (entries) => (world.putCalls.length === 1 ? new Error('reset') : published(entries));
  expect((await settled(world, batch)).sort()).toEqual(['unrecorded', 'unsent']);

  expect(world.dispatches().some(({ reservations }) => JSON.stringify(reservations).includes(secret))).toBe(true);
  expect(world.everythingObserved()).toContain(batch.granted.bookingId);
  expect(world.everythingObserved()).toContain('unsent');
  expect(world.everythingObserved()).not.toContain(secret);
  expect(JSON.stringify(world.putCalls)).not.toContain(secret);
});

test('what was done is counted', async () => {
  const world = new World({ policy: { dailyLimit: 3, refillPerSecond: 0.1, burst: 1 } });
  await settled(world, { a: chunk('ada', 0, [1, 2, 5]), bad: '{' });
  await settled(world, { a: chunk('ada', 0, [1, 2, 5]) });
  expect(Object.fromEntries(world.metrics)).toEqual({
    SettleLatency: 0,
    Granted: 2,
    Rejected: 1,
    Replayed: 1,
    Quarantined: 1,
    Dispatched: 4,
    Paced: 0,
  });
});
