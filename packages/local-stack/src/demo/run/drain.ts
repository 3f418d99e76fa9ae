import {
  DeleteMessageBatchCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { QueueAddress } from '../../resources.ts';
import type { Patience } from './patience.ts';

/** Takes every message that a queue hands out now; rejects once the signal, if any, is aborted. */
export async function drain(
  sqs: SQSClient,
  queue: QueueAddress,
  take: (body: string) => void,
  signal?: AbortSignal,
): Promise<void> {
  const options = signal === undefined ? {} : { abortSignal: signal };
  for (;;) {
    const { Messages = [] } = await sqs.send(
      new ReceiveMessageCommand({ QueueUrl: queue.url, MaxNumberOfMessages: 10, WaitTimeSeconds: 0 }),
      options,
    );
    if (Messages.length === 0) return;
    for (const { Body = '' } of Messages) take(Body);
    const Entries = Messages.map(({ ReceiptHandle }, i) => ({ Id: String(i), ReceiptHandle }));
    await sqs.send(new DeleteMessageBatchCommand({ QueueUrl: queue.url, Entries }), options);
  }
}

/** Resolves once all that a queue held, but for delayed messages, is worked off. */
export async function worked(sqs: SQSClient, queue: QueueAddress, patience: Patience): Promise<void> {
  while ((await backlog(sqs, queue, patience.signal)) > 0) await patience.pause(20);
}

/** The number of messages in a queue that are not delayed: those waiting and those being worked on. */
async function backlog(sqs: SQSClient, queue: QueueAddress, abortSignal: AbortSignal): Promise<number> {
  const names = ['ApproximateNumberOfMessages', 'ApproximateNumberOfMessagesNotVisible'] as const;
  const { Attributes = {} } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: queue.url, AttributeNames: [...names] }),
    { abortSignal },
  );
  return names.reduce((total, name) => total + Number(Attributes[name]), 0);
}
