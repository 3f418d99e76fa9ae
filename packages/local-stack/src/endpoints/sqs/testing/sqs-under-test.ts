import { randomUUID } from 'node:crypto';
import {
  CreateQueueCommand,
  GetQueueAttributesCommand,
  type Message,
  ReceiveMessageCommand,
  SendMessageBatchCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';

/**
 * The points in which emulators of SQS are known to differ. Each is asserted, so that a change on either side is seen.
 * The embedded endpoint has SQS's own behaviour in all of them.
 */
export interface SqsFeatures {
  /** The messages of one group that a single receive hands out. SQS: up to ten. */
  readonly groupMessagesPerReceive: 'up to ten' | 'one';
  /** The sends and receives that SQS refuses and this implementation takes, by their names in the suite. SQS: none. */
  readonly accepts: readonly string[];
}

/** The implementation that the suite runs against. Every test makes queues of its own. */
export class SqsUnderTest {
  readonly features: SqsFeatures;
  #client: SQSClient | undefined;

  constructor(features: SqsFeatures) {
    this.features = features;
  }

  /** There from `beforeAll` on. */
  get client(): SQSClient {
    if (this.#client === undefined) throw new Error('The client is made before the first test, not earlier.');
    return this.#client;
  }

  set client(client: SQSClient) {
    this.#client = client;
  }

  async makeQueue(fifo: boolean, attributes: Record<string, string> = {}): Promise<string> {
    const { QueueUrl = '' } = await this.client.send(
      new CreateQueueCommand({
        QueueName: `conf-${randomUUID()}${fifo ? '.fifo' : ''}`,
        Attributes: { ...(fifo && { FifoQueue: 'true' }), ...attributes },
      }),
    );
    return QueueUrl;
  }

  async receive(QueueUrl: string, max = 10, visibilityTimeoutSeconds?: number): Promise<Message[]> {
    const { Messages = [] } = await this.client.send(
      new ReceiveMessageCommand({
        QueueUrl,
        MaxNumberOfMessages: max,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
        ...(visibilityTimeoutSeconds !== undefined && { VisibilityTimeout: visibilityTimeoutSeconds }),
      }),
    );
    return Messages;
  }

  /** Sends a message for each name, in order. A name is `<group>-<n>`, and also the body and the deduplication id. */
  async sendFifo(QueueUrl: string, ...names: string[]): Promise<void> {
    await this.client.send(
      new SendMessageBatchCommand({
        QueueUrl,
        Entries: names.map((name, i) => ({
          Id: String(i),
          MessageBody: name,
          MessageGroupId: name.split('-')[0],
          MessageDeduplicationId: name,
        })),
      }),
    );
  }

  async attributesOf(QueueUrl: string): Promise<Record<string, string>> {
    const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] });
    return (await this.client.send(command)).Attributes ?? {};
  }
}

export const mebibyte = 1_048_576;

export const bodies = (messages: readonly Message[]): (string | undefined)[] => messages.map(({ Body }) => Body);

/** The name of the error that a call ends with; `accepted` for one that succeeds. */
export const codeOf = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'accepted',
    (error: unknown) => (error instanceof Error ? error.name : String(error)),
  );
