import { receiveBounds } from '@usher/contracts';
import type { SQSRecord } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { chunk, idOf } from './testing/deliver.ts';
import { deliveryOf, secret } from './testing/messages.ts';
import { handedBack, TestWorker } from './testing/test-worker.ts';

const last = receiveBounds.deterministicError;

/** The ids of what lies in quarantine, with the reasons. */
const aside = (worker: TestWorker): unknown => worker.quarantined().map(({ messageId, reason }) => [messageId, reason]);

const dispatchedOf = (worker: TestWorker): string[] => worker.dispatches().map(({ dispatchId }) => dispatchId);

describe('a message that the code which reads it fails on', () => {
  /** A delivery whose body throws at the first look, as a defect in the reader would. */
  function unreadable(message: ReturnType<typeof chunk> | string, messageId: string, receives: number): SQSRecord {
    const delivery = deliveryOf(message, messageId, 'ada', receives);
    let looks = 0;
    return Object.defineProperty({ ...delivery }, 'body', {
      get: () => {
        looks += 1;
        if (looks === 1) throw new RangeError(secret);
        return delivery.body;
      },
    });
  }
  const batch = (receives: number): SQSRecord[] => [
    deliveryOf(chunk('ada', 0), 'before', undefined, receives),
    unreadable(chunk('ada', 1), 'bad', receives),
    deliveryOf(chunk('ada', 2), 'behind', undefined, receives),
    deliveryOf(chunk('bob', 0), 'other', undefined, receives),
  ];
  const done = ['ada', 'bob'].map((accountId) => `${idOf(chunk(accountId, 0))}#0`);

  test.each([1, last - 1])('comes again at receive %i, with what is behind it in its account', async (receives) => {
    const worker = new TestWorker();
    const answer = await worker.settle({ Records: batch(receives) });
    expect(handedBack(answer).sort()).toEqual(['bad', 'behind']);
    expect(aside(worker)).toEqual([]);
    expect(dispatchedOf(worker).sort()).toEqual(done);
  });

  test('is put aside at the tenth receive, alone', async () => {
    const worker = new TestWorker();
    const answer = await worker.settle({ Records: batch(last) });
    expect(handedBack(answer)).toEqual(['behind']);
    expect(aside(worker)).toEqual([['bad', 'processing_failed']]);
    expect(worker.quarantined()).toMatchObject([
      { body: JSON.stringify(chunk('ada', 1)), accountId: 'ada', problem: 'RangeError' },
    ]);
    expect(worker.everythingObserved()).not.toContain(secret);
  });

  test('of the pacing queue comes again, and is put aside at the tenth receive', async () => {
    const worker = new TestWorker();
    const received = async (receives: number) =>
      handedBack(await worker.pace({ Records: [unreadable('{}', 'p', receives)] }));
    expect(await received(last - 1)).toEqual(['p']);
    expect(aside(worker)).toEqual([]);
    expect(await received(last)).toEqual([]);
    expect(aside(worker)).toEqual([['p', 'processing_failed']]);
  });
});
