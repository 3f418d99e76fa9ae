import {
  EventBridgeClient,
  type PutEventsCommandInput,
  type PutEventsCommandOutput,
  type PutEventsRequestEntry,
} from '@aws-sdk/client-eventbridge';
import {
  type SendMessageBatchCommandInput,
  type SendMessageBatchCommandOutput,
  type SendMessageBatchRequestEntry,
  SQSClient,
} from '@aws-sdk/client-sqs';
import { localClientConfig } from '@usher/loopback';

const settings = localClientConfig('http://127.0.0.1:1');

export type SendAnswer = Partial<Pick<SendMessageBatchCommandOutput, 'Successful' | 'Failed'>>;
export type PutAnswer = Partial<Pick<PutEventsCommandOutput, 'Entries' | 'FailedEntryCount'>>;

/** One SendMessageBatch as the client was asked for it. */
export interface SendCall {
  readonly queueUrl: string;
  readonly entries: readonly SendMessageBatchRequestEntry[];
}

/** A real client whose calls a script answers in place of the network; an Error is thrown. */
export function scriptedSqs(script: (call: SendCall) => SendAnswer | Error): SQSClient {
  const sqs = new SQSClient({ ...settings, md5: false });
  sqs.middlewareStack.add(
    () => async (args) => {
      const input = args.input as SendMessageBatchCommandInput;
      const answer = script({ queueUrl: input.QueueUrl ?? '', entries: input.Entries ?? [] });
      if (answer instanceof Error) throw answer;
      return { response: {}, output: { $metadata: {}, Successful: [], Failed: [], ...answer } };
    },
    { step: 'initialize', priority: 'low' },
  );
  return sqs;
}

/** As {@link scriptedSqs}, for PutEvents. */
export function scriptedEventBridge(
  script: (entries: readonly PutEventsRequestEntry[]) => PutAnswer | Error,
): EventBridgeClient {
  const eventBridge = new EventBridgeClient(settings);
  eventBridge.middlewareStack.add(
    () => async (args) => {
      const answer = script((args.input as PutEventsCommandInput).Entries ?? []);
      if (answer instanceof Error) throw answer;
      return { response: {}, output: { $metadata: {}, ...answer } };
    },
    { step: 'initialize', priority: 'low' },
  );
  return eventBridge;
}

/** SQS took these entries. */
export function taken(entries: readonly SendMessageBatchRequestEntry[]): SendAnswer {
  return { Successful: entries.map(({ Id }) => ({ Id, MessageId: `sent-${Id}`, MD5OfMessageBody: '' })) };
}

/** EventBridge took these entries. */
export function published(entries: readonly PutEventsRequestEntry[]): PutAnswer {
  return { Entries: entries.map((_, i) => ({ EventId: `event-${i}` })), FailedEntryCount: 0 };
}
