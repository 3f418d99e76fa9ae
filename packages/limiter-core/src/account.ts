import type { Outcome } from './outcome.ts';
import type { Bucket } from './token-bucket.ts';

/** An account's usage of one window. */
export interface WindowUsage {
  /** Granted cost. */
  readonly used: number;
  /** Rejected cost. */
  readonly rejected: number;
  /** The part of `used` that observe mode granted and enforce mode would have rejected (ADR 0003). */
  readonly over: number;
  /** The limit last settled under, if any chunk was. */
  readonly limit: number | null;
}

/** An account: all that must change together. */
export interface AccountState {
  /** Raised by every write; null where nothing is stored yet. */
  readonly rev: number | null;
  /** By the window's date, `YYYY-MM-DD`. */
  readonly usage: ReadonlyMap<string, WindowUsage>;
  readonly bucket: Bucket | undefined;
  /** Outcomes not yet pruned, by chunk id. */
  readonly receipts: ReadonlyMap<string, Outcome>;
}

/** An account that was never settled. */
export const newAccount: AccountState = { rev: null, usage: new Map(), bucket: undefined, receipts: new Map() };

export const noUsage: WindowUsage = { used: 0, rejected: 0, over: 0, limit: null };

/** A change of one window: the cost that a settlement adds, and the limit it was decided under. */
export interface WindowChange {
  readonly granted: number;
  readonly rejected: number;
  readonly over: number;
  readonly limit: number;
}

/** A change of an account: everything that one write changes, and the conditions under which it may. */
export interface AccountChange {
  readonly accountId: string;
  /** The `rev` that was read; null where there was no item. */
  readonly seenRev: number | null;
  /** True where the store itself must refuse to pass a window's limit (enforce mode). */
  readonly enforced: boolean;
  readonly windows: ReadonlyMap<string, WindowChange>;
  /** The bucket afterwards; undefined where nothing was granted, which leaves it as it is. */
  readonly bucket: Bucket | undefined;
  readonly receipts: ReadonlyMap<string, Outcome>;
  readonly prunedReceipts: readonly string[];
  readonly prunedDates: readonly string[];
}

/** The account as the change leaves it, or undefined where its condition does not hold. */
export function applyChange(state: AccountState, change: AccountChange): AccountState | undefined {
  if (state.rev !== change.seenRev) return undefined;
  const usage = new Map<string, WindowUsage>(state.usage);
  for (const [date, { granted, rejected, over, limit }] of change.windows) {
    const before = usage.get(date) ?? noUsage;
    if (change.enforced && granted > 0 && before.used > limit - granted) return undefined;
    usage.set(date, {
      used: before.used + granted,
      rejected: before.rejected + rejected,
      over: before.over + over,
      limit,
    });
  }
  for (const date of change.prunedDates) usage.delete(date);
  const receipts = new Map([...state.receipts, ...change.receipts]);
  for (const id of change.prunedReceipts) receipts.delete(id);
  return { rev: (state.rev ?? 0) + 1, usage, bucket: change.bucket ?? state.bucket, receipts };
}
