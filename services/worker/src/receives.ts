import { receiveBounds } from '@usher/contracts';
import type { SQSRecord } from 'aws-lambda';

/** How often a record was handed out, this time included; receives in which nothing was tried count as well. */
function receivesOf({ attributes }: SQSRecord): number {
  return Number(attributes.ApproximateReceiveCount);
}

/** True of a record that, where it fails by itself once more, has done so often enough to be put aside. */
export function isLastTry(record: SQSRecord): boolean {
  return receivesOf(record) >= receiveBounds.deterministicError;
}

/**
 * The turns in which a batch is worked off: first what is not suspect, all together, then account by account what was
 * received often, the most received last. Whatever uses up memory or time then takes no other account along. An account
 * goes with all of its records, so that its order holds.
 */
export function turnsOf<R extends { readonly record: SQSRecord; readonly message: { readonly accountId: string } }>(
  records: readonly R[],
): R[][] {
  const most = (own: readonly R[]): number => Math.max(...own.map(({ record }) => receivesOf(record)));
  const suspects = [...Map.groupBy(records, ({ message }) => message.accountId).values()]
    .filter((own) => most(own) > receiveBounds.settledWithOthers)
    .toSorted((a, b) => most(a) - most(b));
  const suspect = new Set(suspects.flat());
  return [records.filter((record) => !suspect.has(record)), ...suspects].filter(({ length }) => length > 0);
}
