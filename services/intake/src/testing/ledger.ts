import { PutCommand } from '@aws-sdk/lib-dynamodb';
import type { LedgerEntry, Outcome } from '@usher/limiter-core/bulk';
import { toLedgerItem } from '@usher/limiter-core/bulk/dynamodb/items';
import { tableName } from './dynalite-table.ts';
import { noon, type TestIntake } from './start-intake.ts';

/** An outcome of rows that all cost 1, settled at noon; every reason is given, null for none. */
export function outcomeOf(reasons: Outcome['reasons'], fields: Partial<Outcome> = {}): Outcome {
  const granted = reasons.filter((reason) => reason === null).length;
  return {
    digest: 'a'.repeat(32),
    date: '2026-11-29',
    reasons,
    usedBefore: 0,
    grantedCost: granted,
    rejectedCost: reasons.length - granted,
    limit: 1000,
    limitBefore: null,
    debtMicros: 0,
    refillPerSecond: 10,
    burst: 20,
    policyMode: 'enforce',
    thresholds: [1],
    settledAtMs: Date.parse(noon),
    ...fields,
  };
}

/** Puts a chunk's decision into the ledger, as the worker does; rows `r<first>` … of cost 1. */
export async function record(
  intake: TestIntake,
  entry: Pick<LedgerEntry, 'bookingId' | 'chunkIndex' | 'outcome'> & { first?: number; withRows?: boolean },
): Promise<void> {
  const { bookingId, chunkIndex, outcome, first = 0, withRows = true } = entry;
  const rows = outcome.reasons.map((_, row) => ({ id: `r${first + row}`, cost: 1 }));
  const item = toLedgerItem({ bookingId, chunkIndex, accountId: 'acme', outcome, ...(withRows ? { rows } : {}) });
  await intake.table.client.send(new PutCommand({ TableName: tableName, Item: item }));
}

export const granted = (count: number): null[] => new Array(count).fill(null);
