import { expect, test } from 'vitest';
import { chunk, idOf, settled } from './testing/deliver.ts';
import { batchOf, noon, secret } from './testing/messages.ts';
import { published, taken } from './testing/scripted-clients.ts';
import { ScriptedStore } from './testing/scripted-store.ts';
import { checkedDetail, handedBack, TestWorker } from './testing/test-worker.ts';

test('a chunk is counted, kept in the ledger, published and dispatched', async () => {
  const worker = new TestWorker({ policy: { dailyLimit: 10 } });
  const message = chunk('ada', 0, [6, 5, 4]);
  expect(await settled(worker, { a0: message })).toEqual([]);
  expect(await worker.used('ada')).toBe(10);
  expect(worker.store.ledger()).toMatchObject([
    {
      chunkIndex: 0,
      rows: [
        { id: 'r-0', cost: 6 },
        { id: 'r-1', cost: 5 },
        { id: 'r-2', cost: 4 },
      ],
    },
  ]);
  expect(worker.events().map(checkedDetail)).toMatchObject([
    { data: { reservations: [{ id: 'r-1', reason: 'daily_quota_exceeded' }] } },
    { data: { used: 10, granted: { count: 2, cost: 10 }, rejected: { count: 1, cost: 5 } } },
    { data: { threshold: 0.8 } },
    { data: { threshold: 1 } },
  ]);
  expect(worker.dispatches().flatMap(({ reservations }) => reservations)).toEqual([
    message.reservations[0],
    message.reservations[2],
  ]);
});

test('an empty batch does nothing', async () => {
  const worker = new TestWorker();
  expect(await settled(worker, {})).toEqual([]);
  expect([worker.sendCalls, worker.putCalls]).toEqual([[], []]);
});

test('case 2: what the ledger does not take is given back with what follows of its account, and nothing else', async () => {
  const store = new ScriptedStore();
  const worker = new TestWorker({ store });
  const batch = {
    a1: chunk('ada', 1),
    b1: chunk('bob', 1),
    a2: chunk('ada', 2),
    a3: chunk('ada', 3),
    b2: chunk('bob', 2),
  };
  store.failingEntries.add(idOf(batch.a2));
  expect(await settled(worker, batch)).toEqual(['a2', 'a3']);
  expect(worker.dispatches().map(({ dispatchId }) => dispatchId)).toEqual(
    [batch.a1, batch.b1, batch.b2].map((message) => `${idOf(message)}#0`),
  );
  expect(worker.eventIds()).toEqual([batch.a1, batch.b1, batch.b2].map((message) => `${idOf(message)}#usage`));
  store.failingEntries.clear();
  expect(await settled(worker, { a2: batch.a2, a3: batch.a3 })).toEqual([]);
  expect(await worker.used('ada')).toBe(3);
});

test('case 3: in A1 (fails), B1, A2, B2 the failures are exactly A1 and A2', async () => {
  const store = new ScriptedStore();
  const worker = new TestWorker({ store });
  store.failingWrites.set('ada', 'before');
  const batch = { a1: chunk('ada', 1), b1: chunk('bob', 1), a2: chunk('ada', 2), b2: chunk('bob', 2) };
  expect(await settled(worker, batch)).toEqual(['a1', 'a2']);
  expect([await worker.used('ada'), await worker.used('bob')]).toEqual([0, 2]);
  expect(worker.events().filter(({ detail }) => detail.includes('"ada"'))).toEqual([]);
});

test("an account's retries hold up no other: what is decided goes out before the next try", async () => {
  const store = new ScriptedStore();
  const worker = new TestWorker({ store });
  const order: string[] = [];
  // Others change bob at each of its first two tries.
  store.contended.add('bob');
  let writes = 0;
  store.onWrite = ({ accountId }) => {
    order.push(`${accountId} is written`);
    if (accountId === 'bob' && ++writes < 3) store.contended.add('bob');
  };
  worker.answerPut = (entries) => {
    order.push(`${entries.length} events`);
    return published(entries);
  };
  worker.answerSend = ({ entries }) => {
    order.push(`${entries.length} messages`);
    return taken(entries);
  };
  expect(await settled(worker, { b1: chunk('bob', 1), a1: chunk('ada', 1), b2: chunk('bob', 2) })).toEqual([]);
  expect(order).toEqual([
    'bob is written',
    'ada is written',
    '1 events',
    '1 messages',
    'bob is written',
    'bob is written',
    '2 events',
    '2 messages',
  ]);
  expect(worker.dispatches().map(({ accountId }) => accountId)).toEqual(['ada', 'bob', 'bob']);
});

test('an account that stays contended comes again, and the others of its batch are done', async () => {
  const store = new ScriptedStore();
  const worker = new TestWorker({ store });
  store.onWrite = ({ accountId }) => accountId === 'bob' && store.contended.add('bob');
  const handed = await settled(worker, { b1: chunk('bob', 1), a1: chunk('ada', 1), bad: '{' });
  expect(handed).toEqual(['b1']);
  expect(worker.dispatches().map(({ accountId }) => accountId)).toEqual(['ada']);
  expect(worker.quarantined()).toHaveLength(1);
});

test('an account that changed meanwhile is settled again and counted as contention', async () => {
  const store = new ScriptedStore();
  const worker = new TestWorker({ store });
  store.contended.add('ada');
  expect(await settled(worker, { a: chunk('ada', 0), b: chunk('bob', 0) })).toEqual([]);
  expect([await worker.used('ada'), await worker.used('bob')]).toEqual([1, 1]);
  expect(worker.metrics.get('ContentionRetries')).toBe(1);
});

test('without time nothing is begun and everything is given back', async () => {
  const worker = new TestWorker();
  const deadline = { getRemainingTimeInMillis: () => 4_999 };
  const event = batchOf({ a: chunk('ada', 0), bad: '{' });
  expect(handedBack(await worker.settle(event, deadline)).sort()).toEqual(['a', 'bad']);
  expect([worker.sendCalls, worker.putCalls, await worker.used('ada')]).toEqual([[], [], 0]);
});

test('with exactly the margin left a batch is worked off', async () => {
  const worker = new TestWorker();
  const deadline = { getRemainingTimeInMillis: () => 5_000 };
  expect(handedBack(await worker.settle(batchOf({ a: chunk('ada', 0) }), deadline))).toEqual([]);
});

test('what is handed back is logged with the reason, and a batch without failures logs no such thing', async () => {
  const store = new ScriptedStore();
  const worker = new TestWorker({ store });
  await settled(worker, { a: chunk('ada', 0) });
  const { bookingId } = chunk('ada', 0);
  expect(worker.logged).toEqual([
    {
      level: 'info',
      message: 'Chunk settled',
      fields: expect.objectContaining({ accountId: 'ada', bookingId, chunk: 0, origin: 'new' }),
    },
  ]);
  worker.logged.length = 0;
  store.failingWrites.set('ada', 'before');
  await settled(worker, { b: chunk('ada', 1) });
  expect(worker.logged).toEqual([
    {
      level: 'error',
      message: 'A chunk could not be settled',
      fields: expect.objectContaining({ accountId: 'ada', bookingId, chunk: 1 }),
    },
    { level: 'warn', message: 'Messages are handed back', fields: { accountId: 'ada', messageIds: ['b'] } },
  ]);
});

test('the time that settling took is measured', async () => {
  const store = new ScriptedStore();
  const worker = new TestWorker({ store });
  const read = store.readAccounts.bind(store);
  store.readAccounts = async (accountIds) => {
    worker.clock.advance(120);
    return read(accountIds);
  };
  await settled(worker, { a: chunk('ada', 0) });
  expect(worker.metrics.get('SettleLatency')).toBe(120);
});

test('no settling is measured where nothing can be read, no quarantine where all can', async () => {
  const bad = new TestWorker();
  await settled(bad, { bad: '{' });
  expect(bad.metrics.has('SettleLatency')).toBe(false);
  const good = new TestWorker();
  await settled(good, { a: chunk('ada', 0) });
  expect(good.metrics.has('Quarantined')).toBe(false);
});

test('rows due beyond 15 minutes go to pacing, in one message', async () => {
  const worker = new TestWorker({ policy: { dailyLimit: 10_000, refillPerSecond: 1, burst: 1 } });
  await settled(worker, { a: chunk('ada', 0, [1, 500, 500, 500]) });
  expect(worker.dispatches().flatMap(({ reservations }) => reservations.map(({ id }) => id))).toEqual(['r-0', 'r-1']);
  expect(worker.pacings().map(({ reservations }) => reservations.map(({ id }) => id))).toEqual([['r-2', 'r-3']]);
  expect(worker.pacings()).toMatchObject([{ chunk: 0, settledAt: noon, refillPerSecond: 1, burst: 1 }]);
});

test('observe mode dispatches what it would have rejected, and tells of it', async () => {
  const worker = new TestWorker({ policy: { dailyLimit: 1, mode: 'observe' } });
  await settled(worker, { a: chunk('ada', 0, [1, 1]) });
  expect(worker.dispatches().flatMap(({ reservations }) => reservations)).toHaveLength(2);
  expect(worker.events('Reservations Rejected').map(checkedDetail)).toMatchObject([
    { data: { mode: 'observe', reservations: [{ id: 'r-1' }] } },
  ]);
});

test.each(['__proto__', 'constructor'])('%s is an account as any other', async (accountId) => {
  const worker = new TestWorker();
  expect(await settled(worker, { a: chunk(accountId, 0), b: chunk('bob', 0) })).toEqual([]);
  expect(await worker.used(accountId)).toBe(1);
});

test('logs, metrics and events name ids but never details, whatever goes wrong', async () => {
  const store = new ScriptedStore();
  const worker = new TestWorker({ store, policy: { dailyLimit: 2 } });
  const batch = {
    granted: chunk('ada', 0, [1, 5]),
    unrecorded: chunk('bob', 0),
    unsent: chunk('cid', 0),
    forged: { ...chunk('ada', 0, [2]) },
    malformed: JSON.stringify(chunk('dan', 0)).replace('"cost":1', '"cost":0'),
    broken: `{"reservations":[{"details":"${secret}"`,
  };
  store.failingEntries.add(idOf(batch.unrecorded));
  worker.answerSend = ({ entries }) => taken(entries.filter(({ MessageGroupId }) => MessageGroupId !== 'cid'));
  worker.answerPut = (entries) => (worker.putCalls.length === 1 ? new Error('reset') : published(entries));
  expect((await settled(worker, batch)).sort()).toEqual(['unrecorded', 'unsent']);

  expect(worker.dispatches().some(({ reservations }) => JSON.stringify(reservations).includes(secret))).toBe(true);
  expect(worker.everythingObserved()).toContain(batch.granted.bookingId);
  expect(worker.everythingObserved()).toContain('unsent');
  expect(worker.everythingObserved()).not.toContain(secret);
  expect(JSON.stringify(worker.putCalls)).not.toContain(secret);
});

test('what was done is counted', async () => {
  const worker = new TestWorker({ policy: { dailyLimit: 3, refillPerSecond: 0.1, burst: 1 } });
  await settled(worker, { a: chunk('ada', 0, [1, 2, 5]), bad: '{' });
  await settled(worker, { a: chunk('ada', 0, [1, 2, 5]) });
  expect(Object.fromEntries(worker.metrics)).toEqual({
    SettleLatency: 0,
    Granted: 2,
    Rejected: 1,
    Replayed: 1,
    Quarantined: 1,
    Dispatched: 4,
    Paced: 0,
  });
});
