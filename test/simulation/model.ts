import type { Policy } from '@usher/limiter-core';
import type { ChunkMessage } from './wire.ts';

/** The decision of one chunk by Usher's rules. */
export interface Decision {
  readonly reasons: readonly (string | null)[];
  readonly usedBefore: number;
  readonly grantedCost: number;
  readonly rejectedCost: number;
  /** Thresholds that the window reaches with this chunk. */
  readonly thresholds: readonly number[];
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

  window(date: string): Window {
    const known = this.#windows.get(date);
    if (known !== undefined) return known;
    const fresh: Window = { used: 0, rejected: 0, over: 0, limit: null };
    this.#windows.set(date, fresh);
    return fresh;
  }

  decide(chunk: ChunkMessage, policy: Policy): Decision {
    const window = this.window(chunk.window.date);
    const limit = policy.dailyLimit;
    const usedBefore = window.used;
    const limitBefore = window.limit;
    const reasons: (string | null)[] = [];

    // What counts against the limit: all that was granted; in observe mode only what would have been.
    let counted = policy.mode === 'observe' ? window.used - window.over : window.used;
    if (chunk.mode === 'all-or-nothing') {
      let total = 0;
      for (const { cost } of chunk.reservations) total += cost;
      let reason: string | null = null;
      if (total > limit) reason = 'exceeds_limit';
      else if (counted + total > limit) reason = 'daily_quota_exceeded';
      for (const _ of chunk.reservations) reasons.push(reason);
    } else {
      for (const { cost } of chunk.reservations) {
        if (cost > limit) reasons.push('exceeds_limit');
        else if (counted + cost > limit) reasons.push('daily_quota_exceeded');
        else {
          reasons.push(null);
          counted += cost;
        }
      }
    }

    let grantedCost = 0;
    let rejectedCost = 0;
    for (const [row, { cost }] of chunk.reservations.entries()) {
      if (reasons[row] === null) grantedCost += cost;
      else if (policy.mode === 'observe') {
        grantedCost += cost;
        window.over += cost;
      } else rejectedCost += cost;
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
    return { reasons, usedBefore, grantedCost, rejectedCost, thresholds };
  }
}

/**
 * A token bucket in its plainest form: what it owes, in cost. It pays off at the refill that was last used, also across
 * a change of the refill; a clock that goes back owes that much more. A cost above the burst waits until the bucket
 * would have refilled for it, and leaves a whole burst owed.
 */
export class BucketModel {
  #owed = 0;
  #atMs = 0;
  #refillPerSecond = 0;

  /** The most that rounding each due instant up to a millisecond can have added to what is owed, in cost. */
  roundedCost = 0;

  /** The due instant of each cost settled at an instant: milliseconds, not rounded. */
  schedule(
    atMs: number,
    { refillPerSecond, burst }: Pick<Policy, 'refillPerSecond' | 'burst'>,
    costs: readonly number[],
  ) {
    let owed = Math.max(0, this.#owed - (this.#refillPerSecond * (atMs - this.#atMs)) / 1000);
    const dues: number[] = [];
    this.roundedCost += (costs.length * refillPerSecond) / 1000;
    for (const cost of costs) {
      const waitsMs = Math.max(0, ((owed + cost - burst) / refillPerSecond) * 1000);
      dues.push(atMs + waitsMs);
      owed = Math.max(owed + cost, (waitsMs / 1000) * refillPerSecond + Math.min(cost, burst));
    }
    if (costs.length > 0) [this.#owed, this.#atMs, this.#refillPerSecond] = [owed, atMs, refillPerSecond];
    return dues;
  }
}

/** A cost that is due at an instant. */
export interface Due {
  readonly atMs: number;
  readonly cost: number;
}

/**
 * Promise 6 by brute force, for what was scheduled under one refill and burst: no interval between two due instants
 * holds more than the bucket allows.
 *
 * @returns the first interval that holds too much
 */
export function tooDense(
  dues: readonly Due[],
  { refillPerSecond, burst }: Pick<Policy, 'refillPerSecond' | 'burst'>,
): string | undefined {
  const sorted = dues.toSorted((a, b) => a.atMs - b.atMs);
  for (const [i, first] of sorted.entries()) {
    let cost = 0;
    let largest = 0;
    for (const due of sorted.slice(i)) {
      cost += due.cost;
      largest = Math.max(largest, due.cost);
      const allowed = Math.max(burst, largest) + (refillPerSecond * (due.atMs - first.atMs)) / 1000;
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
