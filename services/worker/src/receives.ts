import { receiveBounds } from '@usher/contracts';
import type { SQSRecord } from 'aws-lambda';

/** The number of times that a message was handed out, this one included; receives in which nothing was tried count too. */
function receivesOf({ attributes }: SQSRecord): number {
  return Number(attributes.ApproximateReceiveCount);
}

/** True of a delivery that, where it fails by itself once more, has done so often enough to be put aside. */
export function isLastTry(delivery: SQSRecord): boolean {
  return receivesOf(delivery) >= receiveBounds.deterministicError;
}

/**
 * The turns in which a batch is worked off: first all that is not suspect, together, then account by account what was
 * received often, the most received last. Whatever uses up memory or time then takes no other account along. An account
 * goes with all of its deliveries, so that its order holds.
 */
export function turnsOf<D extends { readonly delivery: SQSRecord; readonly accountId: string }>(
  deliveries: readonly D[],
): D[][] {
  const most = (own: readonly D[]): number => Math.max(...own.map(({ delivery }) => receivesOf(delivery)));
  const suspects = [...Map.groupBy(deliveries, ({ accountId }) => accountId).values()]
    .filter((own) => most(own) > receiveBounds.settledWithOthers)
    .toSorted((a, b) => most(a) - most(b));
  const suspect = new Set(suspects.flat());
  return [deliveries.filter((one) => !suspect.has(one)), ...suspects].filter(({ length }) => length > 0);
}
