import type { SQSClient } from '@aws-sdk/client-sqs';
import { workerBatchSize, workerTimeoutSeconds } from '@usher/contracts';
import { systemClock } from '@usher/limiter-core';
import { pollQueue, type QueueAddress, type SqsBatchHandler } from '@usher/local-stack';

/**
 * The visibility of a received message, three seconds instead of three minutes: a killed process's messages come back
 * soon. It is shorter than a batch may take, so two processes often have the same messages.
 */
const visibilitySeconds = 3;

/** Starts polling a queue; a line of the process's output tells of each batch. */
export type Poll = (
  queue: QueueAddress,
  options: { readonly concurrency: number; readonly handler: SqsBatchHandler },
) => void;

/** Polls queues as Lambda does, but for the visibility of what the client receives from then on. */
export function impatientPolling(sqs: SQSClient): Poll {
  sqs.middlewareStack.add(
    (next, { commandName }) =>
      (args) =>
        next(commandName === 'ReceiveMessageCommand' ? hiddenFor(visibilitySeconds, args) : args),
    { step: 'initialize', name: 'shortVisibility' },
  );
  return (queue, { concurrency, handler }) => {
    pollQueue({
      sqs,
      queueUrl: queue.url,
      queueArn: queue.arn,
      handler: (event, context) => {
        const times = event.Records.map(({ attributes }) => Number(attributes.ApproximateReceiveCount));
        const report = {
          messages: times.length,
          redelivered: times.filter((one) => one > 1).length,
          mostDeliveries: Math.max(...times),
        };
        process.stdout.write(`${JSON.stringify(report)}\n`);
        return handler(event, context);
      },
      batchSize: workerBatchSize,
      concurrency,
      clock: systemClock,
      invocationTimeoutMs: workerTimeoutSeconds * 1000,
      pollErrorDelayMs: 200,
      // Calls fail here on purpose; what the handler makes of it is told by the books.
      onError: () => undefined,
    });
  };
}

function hiddenFor<A extends { input: object }>(VisibilityTimeout: number, args: A): A {
  return { ...args, input: { ...args.input, VisibilityTimeout } };
}
