import { GetQueueAttributesCommand, type SQSClient } from '@aws-sdk/client-sqs';
import type { ReportPorts } from './ports.ts';

/** Counts the messages of dead-letter queues, by the names of the queues. SQS's count is approximate. */
export function sqsDeadLetters(sqs: SQSClient, queueUrls: readonly string[]): ReportPorts['deadLetters'] {
  return () =>
    Promise.all(
      queueUrls.map(async (QueueUrl) => {
        const command = new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['ApproximateNumberOfMessages'] });
        const { Attributes } = await sqs.send(command);
        return {
          queue: QueueUrl.slice(QueueUrl.lastIndexOf('/') + 1),
          messages: Number(Attributes?.ApproximateNumberOfMessages ?? 0),
        };
      }),
    );
}
