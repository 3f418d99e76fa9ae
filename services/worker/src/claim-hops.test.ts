import { Pacing, receiveBounds } from '@usher/contracts';
import { type HopStore, MemoryHopStore } from '@usher/limiter-core/bulk';
import { describe, expect, test } from 'vitest';
import { batchOf, bookingIdOf, deliveryOf, noon } from './testing/messages.ts';
import { expectedIds, idsOf, lateBy, minutes, paced, pacingBody, rate } from './testing/paced.ts';
import { taken } from './testing/scripted-clients.ts';
import { checkedDetail, handedBack, queues, TestWorker } from './testing/test-worker.ts';

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
    const { bookingId, chunk } = Pacing.assert(JSON.parse(broken));
    const told = aside.map((data) => ({ data: { ...data, accountId: 'ada', bookingId, chunk } }));
    expect(worker.events('Message Quarantined').map(checkedDetail)).toMatchObject(told);
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
