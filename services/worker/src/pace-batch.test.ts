import { Dispatch, type Pacing, receiveBounds } from '@usher/contracts';
import { type HopStore, MemoryHopStore } from '@usher/limiter-core';
import { describe, expect, test } from 'vitest';
import { toPacing } from './hand-off.ts';
import { slotsOf } from './slots.ts';
import { batchOf, bookingIdOf, deliveryOf, noon, outcomeOf, rowsOf, secret } from './testing/messages.ts';
import { type Arrival, PacingQueue } from './testing/pacing-queue.ts';
import { taken } from './testing/scripted-clients.ts';
import { type InTurn, settledInTurn } from './testing/slots.ts';
import { checkedDetail, handedBack, queues, TestWorker } from './testing/test-worker.ts';

const rate = { refillPerSecond: 1, burst: 1 };
const minutes = 60_000;
const ones = (count: number): number[] => Array<number>(count).fill(1);

/** A worker whose pacing queue holds these chunks, settled at noon. */
function paced(inTurn: InTurn): { worker: TestWorker; queue: PacingQueue } {
  const worker = new TestWorker();
  const queue = new PacingQueue(worker);
  for (const chunk of settledInTurn(inTurn)) queue.put(JSON.stringify(toPacing(chunk, 'settled')));
  return { worker, queue };
}

function pacingBody(fields: Partial<Pacing> = {}, costs: readonly number[] = [1]): string {
  const [chunk] = settledInTurn({ chunks: [costs], rate });
  if (chunk === undefined) throw new Error('no chunk');
  return JSON.stringify({ ...toPacing(chunk, 'settled'), ...fields });
}

const idsOf = (arrivals: readonly Arrival[]): string[] => arrivals.map(({ dispatch }) => dispatch.dispatchId);
const lateBy = ({ dispatch, atMs }: Arrival): number => atMs - Date.parse(dispatch.dispatchAt);

/** The ids of all dispatches of chunks settled in turn. */
function expectedIds(inTurn: InTurn): string[] {
  return settledInTurn(inTurn).flatMap(({ bookingId, chunkIndex, slots }) =>
    slots.map(({ slot }) => `${bookingId}#${chunkIndex}#${slot}`),
  );
}

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

describe('messages of one chunk', () => {
  const far = [1, 5000];
  const events = {
    'of one put-back': [{ hop: 3 }, { hop: 3 }],
    'of another put-back of the same hop': [
      { hop: 3, copy: 'first' },
      { hop: 3, copy: 'second' },
    ],
  } as const;

  test.each(Object.entries(events))('%s: one is passed on, and both are done with', async (_, [one, other]) => {
    const worker = new TestWorker();
    const event = batchOf({ m: pacingBody(one, far), n: pacingBody(other, far) });
    expect(handedBack(await worker.pace(event))).toEqual([]);
    expect(worker.dispatches()).toHaveLength(1);
    expect(worker.pacings()).toMatchObject([{ hop: 4 }]);
    expect(handedBack(await worker.pace(batchOf({ n: pacingBody(other, far) })))).toEqual([]);
    expect(worker.pacings()).toHaveLength('copy' in other ? 1 : 2);
  });

  test('of one put-back come again together', async () => {
    const worker = new TestWorker();
    worker.answerSend = ({ queueUrl, entries }) => (queueUrl === queues.dispatch ? new Error('down') : taken(entries));
    const event = batchOf({ m: pacingBody({}, far), n: pacingBody({}, far) });
    expect(handedBack(await worker.pace(event)).toSorted()).toEqual(['m', 'n']);
    expect(worker.sent('pacing')).toEqual([]);
  });

  test('of an earlier hop are dropped, and the later one goes on, whichever is first in the batch', async () => {
    for (const hops of [
      [2, 3],
      [3, 2],
    ]) {
      const worker = new TestWorker();
      await worker.pace(batchOf({ m: pacingBody({ hop: 2, copy: 'gone' }, far) }));
      await worker.pace(batchOf({ m: pacingBody({ hop: 3, copy: 'id-3' }, far) }));
      worker.forget();
      const bodies = hops.map((hop) => [`m-${hop}`, pacingBody({ hop, copy: `id-${hop}` }, far)]);
      expect(handedBack(await worker.pace(batchOf(Object.fromEntries(bodies))))).toEqual([]);
      expect(worker.pacings()).toMatchObject([{ hop: 4 }]);
      expect(worker.logged).toContainEqual(
        expect.objectContaining({ message: 'A copy of a pacing message is dropped', level: 'info' }),
      );
    }
  });

  test('that come with their own put-back are dropped, whichever is first in the batch, and no slot waits for them', async () => {
    for (const isLaterFirst of [false, true]) {
      const inTurn = { chunks: [Array<number>(100).fill(11)], rate: { refillPerSecond: 1, burst: 11 } };
      const { worker, queue } = paced(inTurn);
      await queue.step({ crash: true });
      if (isLaterFirst) queue.reverse();
      worker.clock.advance(4 * minutes);
      await queue.step();
      expect(queue.length).toBe(0);
      expect(idsOf(queue.arrivals).sort()).toEqual(expectedIds(inTurn).sort());
      expect(Math.max(...queue.arrivals.map(lateBy))).toBeLessThanOrEqual(1000);
    }
  });

  test('that the worker sends again once the first has gone on are dropped', async () => {
    const { worker, queue } = paced({ chunks: [[1, 5000]], rate });
    await queue.step();
    expect(queue.length).toBe(1);
    queue.put(pacingBody({ copy: 'settled-again' }, [1, 5000]));
    await queue.step();
    expect(queue.length).toBe(1);
    await queue.drain();
    expect(worker.sent('pacing')).toEqual([]);
    expect(idsOf(queue.arrivals)).toHaveLength(2);
  });

  test('that lose to one behind them in the batch, which has won before, take it not along', async () => {
    const worker = new TestWorker();
    const second = pacingBody({ copy: 'second' }, far);
    worker.answerSend = () => new Error('down');
    expect(handedBack(await worker.pace(batchOf({ n: second })))).toEqual(['n']);
    worker.forget();
    worker.answerSend = ({ entries }) => taken(entries);
    const event = batchOf({ m: pacingBody({ copy: 'first' }, far), n: second });
    expect(handedBack(await worker.pace(event))).toEqual([]);
    expect(worker.pacings()).toMatchObject([{ hop: 1 }]);
  });
});

test('a claim is kept from the last slot on, or from now where that is later', async () => {
  const needed: number[] = [];
  const claim: HopStore['claim'] = async ({ neededUntilMs }) => {
    needed.push(neededUntilMs - Date.parse(noon));
    return 'lost';
  };
  const worker = new TestWorker({ hops: { claim } });
  const event = batchOf({ m: pacingBody({}, [1, 5000, 1]) });
  await worker.pace(event);
  worker.clock.advance(120 * minutes);
  await worker.pace(event);
  expect(needed).toEqual([5_000_000 + 1000, 120 * minutes]);
});

test.each([
  [receiveBounds.deterministicError - 1, ['m', 'n'], []],
  [receiveBounds.deterministicError, [], [{ messageId: 'm', reason: 'processing_failed' }]],
])(
  'received %i times, a message that fails by itself comes again or is put aside once',
  async (receives, back, aside) => {
    const worker = new TestWorker();
    // A burst that takes longer to refill than any schedule reaches.
    const broken = pacingBody({ refillPerSecond: 0.1, burst: 1_000_000_000 });
    const deliveries = ['m', 'n'].map((messageId) => deliveryOf(broken, messageId, undefined, receives));
    expect(handedBack(await worker.pace({ Records: deliveries })).toSorted()).toEqual(back);
    expect(worker.quarantined()).toMatchObject(aside);
  },
);

test('a hop that cannot be claimed comes again, alone, and nothing of it is sent', async () => {
  const hops = new MemoryHopStore();
  const claim: HopStore['claim'] = async (request) => {
    if (request.chunkIndex === 1) throw new Error('no answer');
    return hops.claim(request);
  };
  const worker = new TestWorker({ hops: { claim } });
  const event = batchOf({ m: pacingBody({ chunk: 1 }, [1, 5000]), n: pacingBody() });
  expect(handedBack(await worker.pace(event))).toEqual(['m']);
  expect(worker.dispatches().map(({ dispatchId }) => dispatchId)).toEqual([`${bookingIdOf(1)}#0#0`]);
  expect(worker.sent('pacing')).toEqual([]);
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
