import { SQSClient } from '@aws-sdk/client-sqs';
import { localClientConfig } from '@usher/loopback';
import { expect, test, vi } from 'vitest';
import { sqsDeadLetters } from './sqs-dead-letters.ts';

test('each queue is told by its name, with the messages that lie in it', async () => {
  const sqs = new SQSClient(localClientConfig('http://127.0.0.1:1'));
  const counts = ['2', '0'];
  vi.spyOn(sqs, 'send').mockImplementation(async () => ({
    Attributes: { ApproximateNumberOfMessages: counts.shift() },
  }));
  const look = sqsDeadLetters(sqs, ['http://127.0.0.1/0/bookings-dead.fifo', 'http://127.0.0.1/0/pacing-dead']);
  expect(await look()).toEqual([
    { queue: 'bookings-dead.fifo', messages: 2 },
    { queue: 'pacing-dead', messages: 0 },
  ]);
});
