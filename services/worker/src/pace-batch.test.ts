import { Dispatch, Pacing } from '@usher/contracts';
import { expect, test } from 'vitest';
import { toPacing } from './hand-off.ts';
import { slotsOf } from './slots.ts';
import { batchOf, noon, outcomeOf, rowsOf, secret } from './testing/messages.ts';
import { expectedIds, idsOf, lateBy, minutes, ones, paced, pacingBody, rate } from './testing/paced.ts';
import { PacingQueue } from './testing/pacing-queue.ts';
import { taken } from './testing/scripted-clients.ts';
import { settledInTurn } from './testing/slots.ts';
import { checkedDetail, handedBack, queues, TestWorker } from './testing/test-worker.ts';

test('case 22: rows due in 40 minutes hop, and arrive once per id, in time and never early', async () => {
  const inTurn = { chunks: [ones(100), ones(50)], rate, debtMicros: 40 * minutes * 1000 };
  const { queue } = paced(inTurn);
  await queue.drain();
  expect(idsOf(queue.arrivals).sort()).toEqual(expectedIds(inTurn).sort());
  for (const arrival of queue.arrivals) {
    expect(lateBy(arrival)).toBeGreaterThanOrEqual(0);
    expect(lateBy(arrival)).toBeLessThanOrEqual(1000);
  }
});

test('a chunk of a hundred slots hops a handful of times, not once per slot', async () => {
  const { queue } = paced({ chunks: [ones(100)], rate, debtMicros: 40 * minutes * 1000 });
  await queue.drain();
  expect(queue.receives).toBeLessThanOrEqual(5);
});

test('an hour of chunks in any order arrives when due', async () => {
  const inTurn = { chunks: Array.from({ length: 36 }, () => ones(100)), rate };
  const worker = new TestWorker();
  const queue = new PacingQueue(worker);
  for (const chunk of settledInTurn(inTurn).toReversed()) queue.put(JSON.stringify(toPacing(chunk, 'settled')));
  await queue.drain();
  expect(idsOf(queue.arrivals).sort()).toEqual(expectedIds(inTurn).sort());
  for (const arrival of queue.arrivals) {
    expect(lateBy(arrival)).toBeGreaterThanOrEqual(0);
    expect(lateBy(arrival)).toBeLessThanOrEqual(2000);
  }
});

test('a pacer that is a minute late each time makes no row late', async () => {
  const { queue } = paced({ chunks: [ones(100)], rate, debtMicros: 40 * minutes * 1000 });
  await queue.drain({ latenessMs: minutes });
  for (const arrival of queue.arrivals) expect(lateBy(arrival)).toBeLessThanOrEqual(1000);
});

test('reservations that each need more than 15 minutes of refill arrive in the end, in time', async () => {
  const inTurn = { chunks: [[1, 2000, 1, 5000, 1]], rate };
  const { queue } = paced(inTurn);
  await queue.drain();
  expect(idsOf(queue.arrivals)).toEqual(expectedIds(inTurn));
  for (const arrival of queue.arrivals) expect(lateBy(arrival)).toBeLessThanOrEqual(1000);
});

test('rows overdue after an outage of the pacer go out at the refill rate from then on, under their own ids and times', async () => {
  const inTurn = { chunks: [ones(20)], rate };
  const { worker, queue } = paced(inTurn);
  worker.clock.advance(60 * minutes);
  await queue.drain();
  expect(idsOf(queue.arrivals)).toEqual(expectedIds(inTurn));
  expect(queue.arrivals.map(({ atMs }) => atMs - Date.parse(noon) - 60 * minutes)).toEqual(
    Array.from({ length: 20 }, (_, i) => i * 1000),
  );
  expect(queue.arrivals[3]?.dispatch.dispatchAt).toBe('2026-11-29T12:00:03.000Z');
});

test('a dispatch made by the pacer equals the one that the worker would have made', async () => {
  const costs = [3, 1, 4];
  const { queue } = paced({ chunks: [costs], rate });
  await queue.drain();
  const slots = slotsOf(rowsOf(costs), outcomeOf(costs, rate));
  expect(queue.arrivals.map(({ dispatch }) => dispatch.reservations)).toEqual(
    slots.map(({ rows }) => rows.map(({ dueAtMs: _, ...row }) => row)),
  );
});

test('case 22: a pacer killed after sending, before putting back, repeats the same ids and loses nothing', async () => {
  const inTurn = { chunks: [Array<number>(100).fill(15)], rate };
  const { worker, queue } = paced(inTurn);
  worker.answerSend = ({ queueUrl, entries }) =>
    queueUrl === queues.pacing ? new Error('the process is gone') : taken(entries);
  await queue.step({ crash: true });
  const sentBefore = new Map(queue.arrivals.map(({ dispatch }) => [dispatch.dispatchId, dispatch]));
  expect(sentBefore.size).toBeGreaterThan(50);

  worker.answerSend = ({ entries }) => taken(entries);
  worker.clock.advance(30_000);
  await queue.drain();
  expect([...new Set(idsOf(queue.arrivals))].sort()).toEqual(expectedIds(inTurn).sort());
  for (const { dispatch } of queue.arrivals) {
    const before = sentBefore.get(dispatch.dispatchId);
    if (before !== undefined) expect(dispatch).toEqual(before);
  }
});

test('a pacer killed after putting back, before its answer, repeats the same ids and loses nothing', async () => {
  const inTurn = { chunks: [Array<number>(100).fill(15)], rate };
  const { queue } = paced(inTurn);
  await queue.step({ crash: true });
  expect(queue.length).toBe(2);
  await queue.drain();
  expect([...new Set(idsOf(queue.arrivals))].sort()).toEqual(expectedIds(inTurn).sort());
});

test('a message that cannot be put back comes again, and alone', async () => {
  const worker = new TestWorker();
  worker.answerSend = ({ queueUrl, entries }) => (queueUrl === queues.pacing ? new Error('down') : taken(entries));
  const event = batchOf({ far: pacingBody({}, [1, 5000]), near: pacingBody({ accountId: 'bob' }) });
  expect(handedBack(await worker.pace(event))).toEqual(['far']);
});

test('a message one of whose dispatches was not taken comes again, and leaves no copy in pacing', async () => {
  const worker = new TestWorker();
  worker.answerSend = ({ queueUrl, entries }) => (queueUrl === queues.dispatch ? new Error('down') : taken(entries));
  const answer = await worker.pace(batchOf({ m: pacingBody({}, [1, 5000]) }));
  expect(handedBack(answer)).toEqual(['m']);
  expect(worker.sent('pacing')).toEqual([]);
  expect(worker.metrics.get('Paced')).toBe(0);
});

test('near the deadline messages are handed back, and nothing is sent', async () => {
  const worker = new TestWorker();
  const event = batchOf({ near: pacingBody(), far: pacingBody({}, [5000]) });
  const answer = await worker.pace(event, { getRemainingTimeInMillis: () => 4_999 });
  expect(handedBack(answer)).toEqual(['near', 'far']);
  expect(worker.sendCalls).toEqual([]);
});

test.each<[string, string, string]>([
  ['no JSON', '{', 'invalid_json'],
  ['no pacing message', '{"v":1}', 'invalid_message'],
  ['a rate of Infinity', pacingBody().replace('"refillPerSecond":1', '"refillPerSecond":1e400'), 'invalid_message'],
  ['a rate of 0', pacingBody({ refillPerSecond: 0 }), 'invalid_message'],
  ['no rows', pacingBody({ reservations: [] }), 'invalid_message'],
  ['another account than its group', pacingBody({ accountId: 'bob' }), 'group_mismatch'],
])('%s goes to quarantine with an event, and holds up nothing', async (_, body, reason) => {
  const worker = new TestWorker();
  const answer = await worker.pace(batchOf({ bad: body, good: pacingBody() }));
  expect(handedBack(answer)).toEqual([]);
  expect(worker.quarantined()).toMatchObject([{ messageId: 'bad', reason, body }]);
  expect(worker.events().map(checkedDetail)).toMatchObject([{ data: { reason, messageId: 'bad' } }]);
  expect(worker.dispatches()).toHaveLength(1);
});

test('a pacing message that is put aside is told of with its chunk', async () => {
  const worker = new TestWorker();
  await worker.pace(batchOf({ bad: pacingBody({ refillPerSecond: 0 }), forged: pacingBody({ accountId: 'bob' }) }));
  const { bookingId, chunk } = Pacing.assert(JSON.parse(pacingBody()));
  const told = { bookingId, chunk, accountId: 'ada' };
  expect(worker.events().map(checkedDetail)).toMatchObject([{ data: told }, { data: told }]);
});

test('a bad message that cannot be put aside comes again', async () => {
  const worker = new TestWorker();
  worker.answerSend = ({ queueUrl, entries }) => (queueUrl === queues.quarantine ? new Error('down') : taken(entries));
  const answer = await worker.pace(batchOf({ bad: '{', good: pacingBody() }));
  expect(handedBack(answer)).toEqual(['bad']);
  expect(worker.events()).toEqual([]);
});

test('details pass through pacing as they are, whatever their keys, and are not logged', async () => {
  const worker = new TestWorker();
  const body = pacingBody().replace(
    JSON.stringify({ passport: secret }),
    `{"__proto__":{"a":[1.5,null]},"k":"${secret}"}`,
  );
  await worker.pace(batchOf({ m: body }));
  const [sent] = worker.sent('dispatch');
  expect(sent?.body).toContain(`"details":{"__proto__":{"a":[1.5,null]},"k":"${secret}"}`);
  expect(Dispatch.allows(JSON.parse(sent?.body ?? ''))).toBe(true);
  expect(worker.everythingObserved()).not.toContain(secret);
});
