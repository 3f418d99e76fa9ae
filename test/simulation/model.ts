import type { Outcome, Policy } from '@usher/limiter-core/bulk';
import { BucketModel, type Pace } from './bucket-model.ts';
import type { ChunkMessage } from './wire.ts';

/** The decision of one chunk by Usher's rules. */
export interface Decision {
  readonly reasons: readonly (string | null)[];
  readonly usedBefore: number;
  readonly grantedCost: number;
  readonly rejectedCost: number;
  /** Thresholds that the window reaches with this chunk. */
  readonly thresholds: readonly number[];
  /** The due instant of each granted row, not rounded: milliseconds; null for the others. */
  readonly dueAtMs: readonly (number | null)[];
  /** The most that rounding can have made them later. */
  readonly roundedMs: number;
  /** True where the bucket was found as a wrong clock had left it. */
  readonly isAfterWrongClock: boolean;
}

interface Window {
  used: number;
  rejected: number;
  /** Granted in observe mode though it was over the limit. */
  over: number;
  limit: number | null;
}

/**
 * The rules of architecture.md in the plainest form: one account, one chunk after another, plain loops, nothing shared
 * with the code under test. It is told chunks in the order in which the account's writes first settled them.
 */
export class AccountModel {
  readonly #windows = new Map<string, Window>();
  bucket = new BucketModel();

  window(date: string): Window {
    const known = this.#windows.get(date);
    if (known !== undefined) return known;
    const fresh: Window = { used: 0, rejected: 0, over: 0, limit: null };
    this.#windows.set(date, fresh);
    return fresh;
  }

  /**
   * Decides a chunk at the instant of the product's decision. Where rounding alone tells whether a row is due too late,
   * the product's word is taken.
   */
  decide(chunk: ChunkMessage, policy: Policy, { settledAtMs, reasons: told }: Outcome): Decision {
    const window = this.window(chunk.window.date);
    const limit = policy.dailyLimit;
    const usedBefore = window.used;
    const limitBefore = window.limit;
    const reasons: (string | null)[] = [];
    const dueAtMs: number[] = [];
    const isObserved = policy.mode === 'observe';
    const bucket = this.bucket.openedAt(settledAtMs, policy);
    const isAfterWrongClock = this.bucket.isAheadOf(settledAtMs);
    const isTooLate = (cost: number, row: number): boolean => {
      const isLate = bucket.isTooLate(cost);
      return isLate === 'perhaps' ? told[row] === 'pacing_backlog_full' : isLate === 'yes';
    };

    // What counts against the limit: all that was granted; in observe mode only what would have been.
    let counted = isObserved ? window.used - window.over : window.used;
    if (chunk.mode === 'all-or-nothing') {
      let total = 0;
      for (const { cost } of chunk.reservations) total += cost;
      let reason: string | null = null;
      if (total > limit) reason = 'exceeds_limit';
      else if (counted + total > limit) reason = 'daily_quota_exceeded';
      if (reason === null || isObserved) {
        let isLate = false;
        for (const [row, { cost }] of chunk.reservations.entries()) {
          isLate = isTooLate(cost, row);
          dueAtMs[row] = bucket.take(cost);
        }
        if (isLate) reason = 'pacing_backlog_full';
      }
      for (const _ of chunk.reservations) reasons.push(reason);
    } else {
      for (const [row, { cost }] of chunk.reservations.entries()) {
        let reason: string | null = null;
        if (cost > limit) reason = 'exceeds_limit';
        else if (counted + cost > limit) reason = 'daily_quota_exceeded';
        if (reason === null || isObserved) {
          if (isTooLate(cost, row)) reason = 'pacing_backlog_full';
          else dueAtMs[row] = bucket.take(cost);
        }
        reasons.push(reason);
        if (reason === null) counted += cost;
      }
    }
    const isGranted = (reason: string | null): boolean =>
      reason === null || (isObserved && reason !== 'pacing_backlog_full');
    if (reasons.some(isGranted)) this.bucket = bucket;

    let grantedCost = 0;
    let rejectedCost = 0;
    for (const [row, { cost }] of chunk.reservations.entries()) {
      const reason = reasons[row] ?? null;
      if (!isGranted(reason)) rejectedCost += cost;
      else {
        grantedCost += cost;
        if (reason !== null) window.over += cost;
      }
    }
    window.used += grantedCost;
    window.rejected += rejectedCost;
    window.limit = limit;

    const thresholds: number[] = [];
    for (const threshold of policy.thresholds) {
      const isReached = window.used > 0 && window.used / limit >= threshold;
      const wasReached = limitBefore !== null && usedBefore > 0 && usedBefore / limitBefore >= threshold;
      if (isReached && !wasReached) thresholds.push(threshold);
    }
    return {
      reasons,
      usedBefore,
      grantedCost,
      rejectedCost,
      thresholds,
      dueAtMs: reasons.map((reason, row) => (isGranted(reason) ? (dueAtMs[row] ?? null) : null)),
      roundedMs: bucket.roundedMs,
      isAfterWrongClock,
    };
  }
}

/** A cost that is due at an instant, and the pace that it was settled under. */
export interface Due extends Pace {
  readonly atMs: number;
  readonly cost: number;
}

/**
 * Promise 6 by brute force, for all that was ever scheduled: no interval between two due instants holds more than the
 * highest refill and burst allow that any row due in it was settled under.
 *
 * @returns the first interval that holds too much
 */
export function tooDense(dues: readonly Due[]): string | undefined {
  const sorted = dues.toSorted((a, b) => a.atMs - b.atMs);
  for (const [i, first] of sorted.entries()) {
    // What is due at the same instant is in the same intervals.
    if (sorted[i - 1]?.atMs === first.atMs) continue;
    let [cost, atOnce, refillPerSecond] = [0, 0, 0];
    for (const [j, due] of sorted.entries()) {
      if (j < i) continue;
      cost += due.cost;
      atOnce = Math.max(atOnce, due.burst, due.cost);
      refillPerSecond = Math.max(refillPerSecond, due.refillPerSecond);
      if (sorted[j + 1]?.atMs === due.atMs) continue;
      const allowed = atOnce + (refillPerSecond * (due.atMs - first.atMs)) / 1000;
      if (cost <= allowed + 1e-6) continue;
      const span = `${new Date(first.atMs).toISOString()} and ${new Date(due.atMs).toISOString()}`;
      return `${cost} is due between ${span}, where at most ${allowed} may be`;
    }
  }
  return undefined;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** The local calendar day of an instant, by the platform's own calendar. */
export function localDate(atMs: number, timeZone: string): string {
  const format =
    formats.get(timeZone) ??
    new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  formats.set(timeZone, format);
  return format.format(atMs);
}
