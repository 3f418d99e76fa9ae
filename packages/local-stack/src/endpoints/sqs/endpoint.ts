import type { Clock } from '@usher/limiter-core';
import { serveAwsJson } from '../aws-json-server.ts';
import type { Database } from '../database.ts';
import type { EndpointOptions, RunningEndpoint } from '../endpoint-server.ts';
import { messageOperations } from './message-operations.ts';
import { createMessageStore, type SqsMessageStore } from './message-store.ts';
import { moveTaskOperations } from './move-task-operations.ts';
import { createMoveTasks, type SqsMoveTasks } from './move-tasks.ts';
import { queueOperations } from './queue-operations.ts';
import { createQueueStore, type SqsQueueStore } from './queue-store.ts';
import { createWaiters, type Waiters } from './waiters.ts';

/** The stores of SQS, and those who wait at its queues. EventBridge delivers into the same stores. */
export interface SqsStores {
  readonly database: Database;
  readonly queues: SqsQueueStore;
  readonly messages: SqsMessageStore;
  readonly waiters: Waiters;
  readonly moveTasks: SqsMoveTasks;
  readonly clock: Clock;
}

export function openSqsStores(database: Database, clock: Clock): SqsStores {
  const queues = createQueueStore(database, clock);
  const messages = createMessageStore(database, queues, clock);
  messages.releaseInFlight();
  return {
    database,
    queues,
    messages,
    waiters: createWaiters(),
    moveTasks: createMoveTasks(database, queues, clock),
    clock,
  };
}

/**
 * Serves SQS's JSON protocol over the stores.
 *
 * Left out, since nothing here can come to it: the 12 hours a message may be hidden in total, the bounds on messages in
 * flight (120,000), the 60 seconds between purges and after a deletion, ReceiveRequestAttemptId (a receive whose reply
 * was lost leaves its messages in flight until their visibility timeout), AWSTraceHeader, tags, policies and encryption.
 */
export async function serveSqs(
  stores: SqsStores,
  options: EndpointOptions & { readonly onError: (error: unknown) => void },
): Promise<RunningEndpoint> {
  const { queues, messages, moveTasks, waiters } = stores;
  const advance = (): void => {
    for (const name of moveTasks.advance()) waiters.notify(name);
  };
  const endpoint = await serveAwsJson(
    {
      name: 'sqs',
      targetPrefix: 'AmazonSQS',
      contentType: 'application/x-amz-json-1.0',
      operations: new Map(
        Object.entries({
          ...queueOperations(queues, messages),
          ...messageOperations(stores),
          ...moveTaskOperations(queues, moveTasks, advance),
        }),
      ),
      onError: options.onError,
    },
    options,
  );
  const advancing = setInterval(() => {
    try {
      advance();
    } catch (error) {
      options.onError(error);
    }
  }, advanceIntervalMs);
  return {
    url: endpoint.url,
    close: () => {
      clearInterval(advancing);
      return endpoint.close();
    },
  };
}

/** The time between two looks at the tasks that move messages at a rate. */
const advanceIntervalMs = 500;
