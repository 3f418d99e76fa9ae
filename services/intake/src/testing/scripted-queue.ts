import { type SendMessageBatchRequestEntry, SQSClient } from '@aws-sdk/client-sqs';
import { Chunk } from '@usher/contracts';
import { localClientConfig } from '@usher/loopback';

/** A scripted call's answer: the entries taken and those named as failed. It does not mention the others. */
export interface QueueAnswer {
  readonly taken: readonly string[];
  readonly failed?: readonly string[];
}

export type QueueScript = (ids: readonly string[], call: number) => QueueAnswer | Error | Promise<QueueAnswer>;

/** A queue behind a real SQSClient, whose calls a script answers in place of the network. */
export interface ScriptedQueue {
  readonly sqs: SQSClient;
  /** The entries of every call, taken or not. */
  readonly calls: SendMessageBatchRequestEntry[][];
  /** The chunks that were taken, in order. */
  chunks(): Chunk[];
  answer(script: QueueScript): void;
}

export const takeAll: QueueScript = (ids) => ({ taken: ids });

export function scriptedQueue(): ScriptedQueue {
  const calls: SendMessageBatchRequestEntry[][] = [];
  const taken: SendMessageBatchRequestEntry[] = [];
  let script = takeAll;
  // The answers are made up here, so there is no digest of a body to compare.
  const sqs = new SQSClient({ ...localClientConfig('http://127.0.0.1:1'), md5: false });
  sqs.middlewareStack.add(
    () => async (args) => {
      const entries = entriesOf(args.input);
      calls.push(entries);
      const answer = await script(
        entries.map(({ Id = '' }) => Id),
        calls.length,
      );
      if (answer instanceof Error) throw answer;
      taken.push(...entries.filter(({ Id = '' }) => answer.taken.includes(Id)));
      return {
        response: {},
        output: {
          $metadata: {},
          Successful: answer.taken.map((Id) => ({ Id, MessageId: Id, MD5OfMessageBody: '' })),
          Failed: answer.failed?.map((Id) => ({ Id, Code: 'InternalError', SenderFault: false })),
        },
      };
    },
    { step: 'initialize', priority: 'low' },
  );
  return {
    sqs,
    calls,
    chunks: () => taken.map(({ MessageBody = '' }) => Chunk.assert(JSON.parse(MessageBody))),
    answer: (next) => {
      script = next;
    },
  };
}

function entriesOf(input: object): SendMessageBatchRequestEntry[] {
  return 'Entries' in input && Array.isArray(input.Entries) ? input.Entries : [];
}
