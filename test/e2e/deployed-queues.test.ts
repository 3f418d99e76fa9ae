import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { operator, outputs } from './deployment.ts';

// The emulator works without some attributes that SQS needs: it takes a group and a deduplication id on any queue.

test('the bookings queue keeps the order of each account, and accounts do not slow each other', async () => {
  const fifo = { FifoQueue: 'true', DeduplicationScope: 'messageGroup', FifoThroughputLimit: 'perMessageGroupId' };
  expect(await attributesOf(outputs.BookingsQueueUrl)).toMatchObject(fifo);
  expect(await attributesOf(outputs.BookingsDeadLettersUrl)).toMatchObject({ FifoQueue: 'true' });
});

test('chunks are not deduplicated by their content', async () => {
  const { ContentBasedDeduplication } = await attributesOf(outputs.BookingsQueueUrl);
  expect([undefined, 'false']).toContain(ContentBasedDeduplication);
});

const deadLettersOf = [
  [outputs.BookingsQueueUrl, outputs.BookingsDeadLettersUrl],
  [outputs.DispatchQueueUrl, outputs.DispatchDeadLettersUrl],
  [outputs.PacingQueueUrl, outputs.PacingDeadLettersUrl],
  [outputs.EventsQueueUrl, outputs.EventsDeadLettersUrl],
] as const;

for (const [queue, deadLetters] of deadLettersOf) {
  test(`a message that ${nameOf(queue)} gives up goes to a queue of its own that keeps it longer`, async () => {
    const [worked, dead] = await Promise.all([attributesOf(queue), attributesOf(deadLetters)]);
    expect(JSON.parse(worked.RedrivePolicy ?? '{}')).toMatchObject({ deadLetterTargetArn: dead.QueueArn });
    expect(Number(dead.MessageRetentionPeriod)).toBeGreaterThan(Number(worked.MessageRetentionPeriod));
  });
}

async function attributesOf(QueueUrl: string): Promise<Record<string, string>> {
  const { Attributes = {} } = await operator.sqs.send(
    new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
  );
  return Attributes;
}

/** The queue's name without what CloudFormation adds to it. */
function nameOf(queueUrl: string): string {
  const [, name = queueUrl] = /\/usher-dev-([A-Za-z]+?)[0-9A-F]{8}-/.exec(queueUrl) ?? [];
  return name;
}
