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
  /** Dates of the windows in `usage` that a write has closed: such a window is no longer added to, but replaced. */
  readonly closed: ReadonlySet<string>;
  readonly bucket: Bucket | undefined;
  /** Receipts not yet pruned, by the `rev` that their write left. */
  readonly receipts: ReadonlyMap<number, Receipt>;
}

/** A receipt: the outcomes of one write, by chunk id, in the order in which they were decided. It goes as a whole. */
export type Receipt = ReadonlyMap<string, Outcome>;

/** An account that was never settled. */
export const newAccount: AccountState = {
  rev: null,
  usage: new Map(),
  closed: new Set(),
  bucket: undefined,
  receipts: new Map(),
};

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
  /** Changes of open windows, by date. */
  readonly windows: ReadonlyMap<string, WindowChange>;
  /** Every closed window as this write leaves it; undefined where it changes none. */
  readonly history: ReadonlyMap<string, WindowUsage> | undefined;
  /** Dates of open windows that this write ends: they are in its `history`, or gone for good. */
  readonly endedDates: readonly string[];
  /** The bucket afterwards; undefined where nothing was granted, which leaves it as it is. */
  readonly bucket: Bucket | undefined;
  /** The outcomes that this write decides. */
  readonly receipt: Receipt;
  /** Receipts that go, by their `rev`. */
  readonly prunedReceipts: readonly number[];
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
  for (const date of change.endedDates) usage.delete(date);
  if (change.history !== undefined) {
    for (const date of state.closed) usage.delete(date);
    for (const [date, closed] of change.history) usage.set(date, closed);
  }
  const closed = change.history === undefined ? state.closed : new Set(change.history.keys());
  const rev = (state.rev ?? 0) + 1;
  const receipts = new Map(state.receipts);
  if (change.receipt.size > 0) receipts.set(rev, change.receipt);
  for (const pruned of change.prunedReceipts) receipts.delete(pruned);
  return { rev, usage, closed, bucket: change.bucket ?? state.bucket, receipts };
}

/** The outcomes of all receipts, by chunk id. */
export function outcomesOf(receipts: AccountState['receipts']): Map<string, Outcome> {
  const byRev = [...receipts].sort(([a], [b]) => a - b);
  return new Map(byRev.flatMap(([, receipt]) => [...receipt]));
}
