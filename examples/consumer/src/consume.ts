import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { readUsage } from './read-usage.ts';
import type { UsageTable } from './usage-table.ts';

/** The things that the consumer works with. */
export interface ConsumerPorts {
  readonly usage: Pick<UsageTable, 'count' | 'keepLatest'>;
  /** Told of each message that failed, and why. */
  readonly onFailure: (messageId: string, error: unknown) => void;
}

/**
 * Takes a batch of events. Messages are independent: each that fails comes again by itself, and is a dead letter after
 * its last try. Both writes may be done again, so a crash between them is mended by the repeat.
 */
export async function consume({ Records }: SQSEvent, ports: ConsumerPorts): Promise<SQSBatchResponse> {
  const failed = await Promise.all(
    Records.map(async ({ messageId, body }) => {
      try {
        const usage = readUsage(body);
        await ports.usage.count(usage);
        await ports.usage.keepLatest(usage);
        return [];
      } catch (error) {
        ports.onFailure(messageId, error);
        return [{ itemIdentifier: messageId }];
      }
    }),
  );
  return { batchItemFailures: failed.flat() };
}
