import type { HeaderItem } from './header-item.ts';

/** The number of shards of each day: so many partitions of the index take the writes of one day. */
export const dayShards = 16;

/** The shard of an account, the same for all of its days. */
export function dayShardOf(accountId: string): number {
  // FNV-1a, 32 bits: spread enough for partitions, and the same on every machine.
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(accountId)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0) % dayShards;
}

/** The keys of the index `byDay`: of headers by their window's date, and of accounts with a policy. */
export const dayIndexKeys = {
  partition: (date: string, shard: number): string => `${date}#${String(shard).padStart(2, '0')}`,
  /** Policies stand together: they are few and seldom written, and whoever writes one by hand can spell its keys. */
  policyPartition: 'policies',
  /** A header's keys; the bookings of one account stand together. */
  header: ({ accountId, bookingId, window }: Pick<HeaderItem, 'accountId' | 'bookingId' | 'window'>) => ({
    partition: dayIndexKeys.partition(window.date, dayShardOf(accountId)),
    sort: `${accountId}#${bookingId}`,
  }),
  policy: (accountId: string) => ({ partition: dayIndexKeys.policyPartition, sort: accountId }),
} as const;
