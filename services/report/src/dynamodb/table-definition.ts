import { dayShardOf } from '@usher/contracts';
import type { ItemKey } from '@usher/limiter-core/bulk/dynamodb';
import { type LateMark, markId } from '../store/event-facts.ts';
import type { CorrectionFile, ReportedDay } from '../store/runs.ts';

/** The report's own table: its keys and its TTL attribute. */
export const reportTableDefinition = { partitionKey: 'pk', sortKey: 'sk', ttlAttribute: 'expiresAt' } as const;

/** Keys of all items of the report's table. */
export const reportKeys = {
  usagePartition: (accountId: string, date: string): string => `usage#${date}#${accountId}`,
  quarantinedPartition: (day: string): string => `quarantined#${day}`,
  accountsPartition: (shard: number): string => `accounts#${shard}`,
  account: (accountId: string): ItemKey => ({
    pk: reportKeys.accountsPartition(dayShardOf(accountId)),
    sk: accountId,
  }),
  marksPartition: 'marks',
  mark: (mark: LateMark): ItemKey => ({ pk: reportKeys.marksPartition, sk: markId(mark) }),
  runsPartition: (date: string): string => `runs#${date}`,
  runs: ({ date, timezone }: ReportedDay): ItemKey => ({ pk: reportKeys.runsPartition(date), sk: timezone }),
  progress: { pk: 'runs', sk: 'progress' },
  correctionsPartition: (timezone: string): string => `corrections#${timezone}`,
  correction: ({ date, timezone, number }: CorrectionFile): ItemKey => ({
    pk: reportKeys.correctionsPartition(timezone),
    sk: `${date}#${String(number).padStart(6, '0')}`,
  }),
} as const;
