import { setTimeout as delay } from 'node:timers/promises';
import { DeleteMessageBatchCommand, GetQueueAttributesCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import type { QueueAddress } from '../resources.ts';
import type { StackClients } from '../stack.ts';

type Sqs = StackClients['sqs'];

/** Takes every message that a queue hands out now. */
export async function drain(sqs: Sqs, queue: QueueAddress, take: (body: string) => void): Promise<void> {
  for (;;) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: queue.url, MaxNumberOfMessages: 10, WaitTimeSeconds: 0 }),
    );
    if (Messages.length === 0) return;
    for (const { Body = '' } of Messages) take(Body);
    const Entries = Messages.map(({ ReceiptHandle }, i) => ({ Id: String(i), ReceiptHandle }));
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queue.url, Entries }));
  }
}

/** How many messages a queue holds that are not delayed: those waiting and those being worked on. */
export async function backlog(sqs: Sqs, queue: QueueAddress): Promise<number> {
  const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: queue.url, AttributeNames: [...names] }),
  );
  return names.reduce((total, name) => total + Number(Attributes[name]), 0);
}

/** Resolves once all that a queue held is worked off. */
export async function worked(sqs: Sqs, queue: QueueAddress): Promise<void> {
  while ((await backlog(sqs, queue)) > 0) await delay(20);
}
