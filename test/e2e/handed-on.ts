import { DeleteMessageBatchCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs';
import { Dispatch, Pacing } from '@usher/contracts';
import { type } from 'arktype';
import { expect } from 'vitest';
import { until } from '../support/until.ts';
import { operator, outputs } from './deployment.ts';
import { peek } from './queues.ts';

/** A dispatch as the booking system received it. */
export interface Received {
  readonly dispatch: Dispatch;
  /** Milliseconds since the Unix epoch. */
  readonly atMs: number;
}

/** A dispatch that waits in its queue until it is due. */
export interface Waiting {
  readonly dispatch: Dispatch;
  readonly group: string | null;
  /** The instant from which it may be received, rounded down to a whole second: milliseconds since the Unix epoch. */
  readonly fromMs: number;
  /** The seconds that it waits in its queue, at most one more. */
  readonly delaySeconds: number;
}

const parseDispatch = type('string.json.parse').to(Dispatch);
const parsePacing = type('string.json.parse').to(Pacing);

/**
 * Receives as the booking system does until so many rows of these accounts have come; others may come as well. What comes
 * again, as SQS may have it, counts once.
 */
export async function receiveRows(rows: number, accountIds: ReadonlySet<string>): Promise<Received[]> {
  const received = new Map<string, Received>();
  const QueueUrl = outputs.DispatchQueueUrl;
  await until(
    `${rows} rows of ${[...accountIds].join(', ')} are dispatched`,
    async () => {
      const { Messages = [] } = await operator.sqs.send(
        new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10, WaitTimeSeconds: 1 }),
      );
      const atMs = Date.now();
      for (const dispatch of Messages.map(({ Body }) => parseDispatch.assert(Body))) {
        const before = received.get(dispatch.dispatchId);
        if (before === undefined) received.set(dispatch.dispatchId, { dispatch, atMs });
        else expect(dispatch).toEqual(before.dispatch);
      }
      if (Messages.length > 0) {
        const Entries = Messages.map(({ ReceiptHandle }, i) => ({ Id: String(i), ReceiptHandle }));
        await operator.sqs.send(new DeleteMessageBatchCommand({ QueueUrl, Entries }));
      }
      const own = [...received.values()].filter(({ dispatch }) => accountIds.has(dispatch.accountId));
      const count = own.reduce((total, { dispatch }) => total + dispatch.reservations.length, 0);
      return count >= rows ? true : undefined;
    },
    { tries: 1_000, pauseMs: 0 },
  );
  return [...received.values()];
}

/** The messages that wait in the dispatch queue. */
export async function readWaiting(): Promise<Waiting[]> {
  return (await peek(outputs.DispatchQueueUrl)).map(({ Body, MessageGroupId, SentTimestamp, VisibleAt }) => ({
    dispatch: parseDispatch.assert(Body),
    group: MessageGroupId,
    fromMs: VisibleAt * 1000,
    delaySeconds: VisibleAt - SentTimestamp,
  }));
}

/** The messages that wait in the pacing queue: they are due later than SQS can delay a message. */
export async function readPaced(): Promise<Pacing[]> {
  return (await peek(outputs.PacingQueueUrl)).map(({ Body }) => parsePacing.assert(Body));
}
