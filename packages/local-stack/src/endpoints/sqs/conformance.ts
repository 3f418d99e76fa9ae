import type { SQSClient } from '@aws-sdk/client-sqs';
import { afterAll, beforeAll } from 'vitest';
import { describeBatches } from './batches.conformance.ts';
import { describeFifoQueues } from './fifo.conformance.ts';
import { describeQueues } from './queues.conformance.ts';
import { describeReceiving } from './receiving.conformance.ts';
import { describeSending } from './sending.conformance.ts';
import { type SqsFeatures, SqsUnderTest } from './testing/sqs-under-test.ts';

export interface SqsConformance {
  /** A client of the implementation under test, called once; its tests make queues of their own. */
  readonly makeClient: () => SQSClient | Promise<SQSClient>;
  readonly features: SqsFeatures;
}

/**
 * Registers the suite that SQS passes, and what stands in for it must pass, with vitest. It needs no virtual clock and
 * never sleeps: whatever takes SQS time is left out.
 */
export function registerSqsConformance({ makeClient, features }: SqsConformance): void {
  const sqs = new SqsUnderTest(features);
  beforeAll(async () => {
    sqs.client = await makeClient();
  });
  afterAll(() => sqs.client.destroy());

  describeQueues(sqs);
  describeSending(sqs);
  describeBatches(sqs);
  describeReceiving(sqs);
  describeFifoQueues(sqs);
}
