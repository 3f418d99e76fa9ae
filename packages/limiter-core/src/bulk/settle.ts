import { InvalidArgumentError } from '../errors.ts';
import {
  type AccountChange,
  type AccountState,
  noUsage,
  outcomesOf,
  type WindowChange,
  type WindowUsage,
} from './account.ts';
import { decideRows } from './decide-rows.ts';
import { type ChunkKey, type ChunkRow, chunkIdOf } from './ledger.ts';
import { isGranted, type Outcome } from './outcome.ts';
import type { Policy } from './policy.ts';
import { prunedReceipts } from './receipt-pruning.ts';
import { isWindowClosed, isWindowKept, retention } from './retention.ts';
import { type BucketAt, closeBucket, openBucket } from './token-bucket.ts';

/** One chunk to decide. */
export interface ChunkToSettle extends ChunkKey {
  /** Digest of the chunk's meaning: 32 lower-case hexadecimal digits. A known chunk with another digest is refused. */
  readonly digest: string;
  /** The instant of its booking's acceptance: milliseconds since the Unix epoch. */
  readonly acceptedAtMs: number;
  /** The window it counts in, `YYYY-MM-DD`: the day of acceptance, whenever it is settled. */
  readonly date: string;
  /** `partial` grants what fits, in order; `all-or-nothing` all rows or none. */
  readonly bookingMode: 'partial' | 'all-or-nothing';
  /** The rows to decide, in order; at least one. */
  readonly rows: readonly ChunkRow[];
}

/** The reason for which a chunk is never decided: it is known with another content, or came too late (28 days). */
export type RefusalReason = 'digest_mismatch' | 'too_old';

/** The answer of settle for one chunk. `origin` is `new` for a first decision, else the place where it was found. */
export type SettledChunk =
  | { readonly kind: 'settled'; readonly outcome: Outcome; readonly origin: 'new' | 'receipt' | 'ledger' | 'batch' }
  | { readonly kind: 'refused'; readonly reason: RefusalReason };

export interface Settlement {
  /** One for each chunk given, in the same order. */
  readonly chunks: readonly SettledChunk[];
  /** The one write that makes it so; undefined where everything was a replay or refused. */
  readonly change: AccountChange | undefined;
  /**
   * The lead over `nowMs` of the wrong clock that the bucket was last scheduled by, if it was. The change empties the
   * bucket for it.
   */
  readonly wrongClockAheadMs?: number | undefined;
}

export interface SettleInput {
  readonly accountId: string;
  readonly state: AccountState;
  readonly chunks: readonly ChunkToSettle[];
  /** Outcomes that the ledger holds, by chunk id. */
  readonly ledger: ReadonlyMap<string, Outcome>;
  readonly policy: Policy;
  /** The instant of the decision: milliseconds since the Unix epoch. */
  readonly nowMs: number;
  /** Revs of receipts whose every chunk is known to be in the ledger, which this write may remove. */
  readonly prunable: ReadonlySet<number>;
}

/**
 * Decides chunks of one account, in order: a pure function of what was read. A chunk that has an outcome already, be it
 * in the ledger, in a receipt or earlier in the same list, gets that outcome again and is not counted.
 *
 * Partial chunks are filled first fit: each row in order is granted if it still fits. A row above the limit itself is
 * `exceeds_limit`, one that no longer fits `daily_quota_exceeded`, and one that would be due too late
 * `pacing_backlog_full`, in observe mode too. None of them takes quota or moves the bucket.
 */
export function settle(input: SettleInput): Settlement {
  const draft = new Draft(input);
  const chunks = input.chunks.map((chunk): SettledChunk => {
    const known = draft.find(chunk);
    if (known !== undefined) {
      // Rows that the outcome does not have would be handed on without a verdict, or not at all.
      const isSame = known.outcome.digest === chunk.digest && known.outcome.reasons.length === chunk.rows.length;
      return isSame ? { kind: 'settled', ...known } : { kind: 'refused', reason: 'digest_mismatch' };
    }
    if (input.nowMs - chunk.acceptedAtMs > retention.unsettledMs) return { kind: 'refused', reason: 'too_old' };
    return { kind: 'settled', origin: 'new', outcome: draft.decide(chunk) };
  });
  return { chunks, change: draft.change(), wrongClockAheadMs: draft.wrongClockAheadMs() };
}

/** The account while a list of chunks is decided: what was read, and what has been decided since. */
class Draft {
  readonly #input: SettleInput;
  readonly #usage = new Map<string, WindowUsage>();
  readonly #receipts: ReadonlyMap<string, Outcome>;
  readonly #outcomes = new Map<string, Outcome>();
  readonly #aheadMs: number | undefined;
  #bucket: BucketAt;
  #granted = 0;
  #newestAcceptedAtMs = 0;

  constructor(input: SettleInput) {
    this.#input = input;
    this.#receipts = outcomesOf(input.state.receipts);
    const { aheadMs, ...bucket } = openBucket(input.state.bucket, input.policy, input.nowMs);
    this.#bucket = bucket;
    this.#aheadMs = aheadMs;
  }

  /** The outcome that a chunk has already. */
  find(chunk: ChunkKey): { outcome: Outcome; origin: 'receipt' | 'ledger' | 'batch' } | undefined {
    const id = chunkIdOf(chunk);
    const batch = this.#outcomes.get(id);
    if (batch !== undefined) return { outcome: batch, origin: 'batch' };
    const ledger = this.#input.ledger.get(id);
    if (ledger !== undefined) return { outcome: ledger, origin: 'ledger' };
    const receipt = this.#receipts.get(id);
    return receipt !== undefined ? { outcome: receipt, origin: 'receipt' } : undefined;
  }

  decide(chunk: ChunkToSettle): Outcome {
    assertCosts(chunk);
    const { policy } = this.#input;
    const before = this.#usageOf(chunk.date);
    const bucket = this.#bucket;
    const costs = chunk.rows.map(({ cost }) => cost);
    // Observe mode tells what enforce mode would have done, and that would not have counted what it rejected (ADR 0003).
    const used = policy.mode === 'observe' ? before.used - before.over : before.used;
    const { reasons, debtMicros } = decideRows({ costs, bookingMode: chunk.bookingMode, policy, used, bucket });
    const fitting = sum(costs.filter((_, row) => reasons[row] === null));
    const granted = costs.filter((_, row) => isGranted({ policyMode: policy.mode }, reasons[row] ?? null));
    const grantedCost = sum(granted);
    const rejectedCost = sum(costs) - grantedCost;
    this.#bucket = { nowMs: bucket.nowMs, debtMicros };
    this.#granted += granted.length;
    this.#newestAcceptedAtMs = Math.max(this.#newestAcceptedAtMs, chunk.acceptedAtMs);
    this.#usage.set(chunk.date, {
      used: before.used + grantedCost,
      rejected: before.rejected + rejectedCost,
      over: before.over + grantedCost - fitting,
      limit: policy.dailyLimit,
    });
    const outcome: Outcome = {
      digest: chunk.digest,
      date: chunk.date,
      reasons,
      usedBefore: before.used,
      grantedCost,
      rejectedCost,
      limit: policy.dailyLimit,
      limitBefore: before.limit,
      debtMicros: bucket.debtMicros,
      refillPerSecond: policy.refillPerSecond,
      burst: policy.burst,
      policyMode: policy.mode,
      thresholds: policy.thresholds,
      settledAtMs: bucket.nowMs,
    };
    this.#outcomes.set(chunkIdOf(chunk), outcome);
    return outcome;
  }

  /** Told with the write that mends it alone: what grants nothing leaves the bucket as it is. */
  wrongClockAheadMs(): number | undefined {
    return this.#granted > 0 ? this.#aheadMs : undefined;
  }

  change(): AccountChange | undefined {
    if (this.#outcomes.size === 0) return undefined;
    const { accountId, state, policy, nowMs, prunable } = this.#input;
    const windows = new Map<string, WindowChange>();
    for (const [date, after] of this.#usage) {
      const before = state.usage.get(date) ?? noUsage;
      const granted = after.used - before.used;
      // The store compares the counter, but a window's first write has none to compare, and a closed one has none any more.
      if (policy.mode === 'enforce' && granted > 0 && after.used > policy.dailyLimit) {
        throw new InvalidArgumentError(`settle would pass the limit of ${accountId} in ${date}`);
      }
      if (this.#isClosed(date)) continue;
      windows.set(date, {
        granted,
        rejected: after.rejected - before.rejected,
        over: after.over - before.over,
        limit: policy.dailyLimit,
      });
    }
    return {
      accountId,
      seenRev: state.rev,
      enforced: policy.mode === 'enforce',
      windows,
      bucket: this.#granted > 0 ? closeBucket(this.#bucket, policy) : undefined,
      ...this.#history(),
      receipt: this.#outcomes,
      prunedReceipts: prunedReceipts(state.receipts, { prunable, nowMs }),
    };
  }

  #usageOf(date: string): WindowUsage {
    return this.#usage.get(date) ?? this.#input.state.usage.get(date) ?? noUsage;
  }

  /** A window that a write has closed stays closed, also for a clock that is behind. */
  #isClosed(date: string): boolean {
    return this.#input.state.closed.has(date) || isWindowClosed(date, this.#input.nowMs);
  }

  /** Closes the windows that are over, and writes anew what a late chunk or the end of its time changes in closed ones. */
  #history(): Pick<AccountChange, 'history' | 'endedDates'> {
    const { state, nowMs } = this.#input;
    const endedDates = [...state.usage.keys()].filter((date) => !state.closed.has(date) && this.#isClosed(date));
    // Two clocks tell that a window's time has passed, the worker's and intake's: one that is weeks ahead forgets none.
    const keptAtMs = Math.min(nowMs, this.#newestAcceptedAtMs);
    const isKept = (date: string): boolean => this.#usage.has(date) || isWindowKept(date, keptAtMs);
    const changes =
      endedDates.length > 0 ||
      [...this.#usage.keys()].some((date) => this.#isClosed(date)) ||
      [...state.closed].some((date) => !isKept(date));
    if (!changes) return { history: undefined, endedDates };
    const dates = new Set([...state.usage.keys(), ...this.#usage.keys()]);
    const closed = [...dates].filter((date) => this.#isClosed(date) && isKept(date));
    return { history: new Map(closed.map((date) => [date, this.#usageOf(date)])), endedDates };
  }
}

function assertCosts(chunk: ChunkToSettle): void {
  if (chunk.rows.length === 0 || !chunk.rows.every(({ cost }) => Number.isSafeInteger(cost) && cost >= 1)) {
    throw new InvalidArgumentError(`costs of chunk ${chunkIdOf(chunk)} must be whole numbers ≥ 1, at least one`);
  }
}

function sum(costs: readonly number[]): number {
  return costs.reduce((total, cost) => total + cost, 0);
}
