import { SendMessageBatchCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { expect, test } from 'vitest';
import { queueOutputs } from '../../infra/lib/verify/outputs.ts';
import { administratorSqs, outputs } from './deployment.ts';

// That the senders may send is shown by everything else: intake, worker and pacer do, and an operator redrives.

test.each(queueOutputs)('an administrator who is no operator cannot send to %s', async (name) => {
  const QueueUrl = outputs[name];
  const ofFifo = QueueUrl.endsWith('.fifo') ? { MessageGroupId: 'ada', MessageDeduplicationId: 'forged' } : {};
  const forged = { MessageBody: 'forged', ...ofFifo };
  const entry = { Id: '0', ...forged };
  await expect(administratorSqs.send(new SendMessageCommand({ QueueUrl, ...forged }))).rejects.toThrow('denied');
  await expect(administratorSqs.send(new SendMessageBatchCommand({ QueueUrl, Entries: [entry] }))).rejects.toThrow(
    'denied',
  );
});
