import type { Bucket } from '../strategies/bucket.ts';
import type { Strategy } from '../strategies/strategy.ts';
import { type Entry, firstInstant, type LimitModel } from './limit-model.ts';

function leastOf(a: bigint, b: bigint): bigint {
  if (a < b) return a;
  return b;
}

/** The skew that a store forgives, by its own number and not by the product's: milliseconds. */
const forgivenMs = 60_000;

interface Poured extends Entry {
  /** Its place among what was poured. */
  readonly index: number;
  readonly water: bigint;
  undone: boolean;
}

/**
 * A bucket as a leaky one: a cost pours water in, which runs out evenly. It is measured in shares of a cost, as many as
 * the rate's ratio has ticks for one.
 */
export class BucketModel implements LimitModel {
  readonly kind = 'bucket';
  readonly #strategy: Bucket;
  /** The water when something last changed; undefined for a bucket that nothing was poured into. */
  #last: { readonly water: bigint; readonly atMs: number } | undefined;
  /** The instant since which there has been water, what was poured since, and what was given back to which of it. */
  #sinceMs = 0;
  #poured: Poured[] = [];
  #givenBack: { readonly water: bigint; readonly before: number; readonly undo: boolean }[] = [];

  constructor(strategy: Bucket) {
    this.#strategy = strategy;
  }

  under(strategy: Strategy, nowMs: number): LimitModel {
    if (strategy.kind !== 'bucket') throw new Error('A bucket model is of a bucket');
    const copy = new BucketModel(strategy);
    if (this.#last === undefined) return copy;
    const { ticksPerMs, ticksPerCost } = this.#strategy;
    if (ticksPerMs === strategy.ticksPerMs && ticksPerCost === strategy.ticksPerCost) {
      copy.#last = this.#last;
      copy.#sinceMs = this.#sinceMs;
      copy.#poured = [...this.#poured];
      copy.#givenBack = [...this.#givenBack];
      return copy;
    }
    const water = this.#water(nowMs);
    const [one, oneBefore] = [copy.#shares(1), BigInt(ticksPerCost)];
    if (this.#sinceMs > nowMs + forgivenMs) copy.#restart(nowMs, copy.#shares(strategy.limit));
    else if (water >= 0n) copy.#restart(nowMs, (water * one + oneBefore - 1n) / oneBefore);
    return copy;
  }

  #shares(cost: number): bigint {
    return BigInt(cost) * BigInt(this.#strategy.ticksPerCost);
  }

  #ranOut(fromMs: number, toMs: number): bigint {
    return BigInt(toMs - fromMs) * BigInt(this.#strategy.ticksPerMs);
  }

  /** The water at an instant, below 0 where it has run out. */
  #water(nowMs: number): bigint {
    if (this.#last === undefined) return -1n;
    if (this.#sinceMs > nowMs + forgivenMs) return this.#shares(this.#strategy.limit);
    return this.#last.water - this.#ranOut(this.#last.atMs, nowMs);
  }

  remaining(nowMs: number): number {
    return this.#remainingOf(this.#water(nowMs));
  }

  #remainingOf(water: bigint): number {
    const [free, one] = [this.#shares(this.#strategy.limit) - (water < 0n ? 0n : water), this.#shares(1)];
    return Number(free >= 0n ? free / one : -((one - 1n - free) / one));
  }

  take(nowMs: number, cost: number): Entry {
    this.#begin(nowMs);
    const water = this.#water(nowMs) + this.#shares(cost);
    this.#last = { water, atMs: nowMs };
    const poured = { atMs: nowMs, cost, water, index: this.#poured.length, undone: false };
    this.#poured.push(poured);
    return poured;
  }

  /** Begins anew where all water has run out, or a wrong clock has poured it. */
  #begin(nowMs: number): void {
    const water = this.#water(nowMs);
    if (water >= 0n && this.#sinceMs <= nowMs + forgivenMs) return;
    this.#restart(nowMs, water < 0n ? 0n : water);
  }

  #restart(nowMs: number, water: bigint): void {
    this.#last = { water, atMs: nowMs };
    this.#sinceMs = nowMs;
    this.#poured = [];
    this.#givenBack = [];
  }

  giveBack(nowMs: number, entry: Entry): boolean {
    const poured = this.#poured.find((one) => one === entry);
    const water = this.#water(nowMs);
    if (poured === undefined || water < 0n || this.#sinceMs > nowMs + forgivenMs) return false;
    // What others got back since then, but for those that were the last to pour, was below this one's water.
    const below = this.#givenBack.filter(({ undo, before }) => !undo && before > poured.index);
    const left =
      poured.water - this.#ranOut(poured.atMs, nowMs) - below.reduce((total, given) => total + given.water, 0n);
    const asked = this.#shares(entry.cost);
    if (left <= 0n) return false;
    const back = leastOf(left, asked);
    const undo = this.#poured.slice(poured.index + 1).every(({ undone }) => undone);
    poured.undone = undo && back === asked;
    this.#givenBack.push({ water: back, before: this.#poured.length, undo });
    this.#last = { water: water - back, atMs: nowMs };
    return true;
  }

  refuse(nowMs: number): void {
    if (this.#last !== undefined && this.#sinceMs > nowMs + forgivenMs) this.#begin(nowMs);
  }

  fitsAtMs(nowMs: number, cost: number): number {
    const mostWater = this.#shares(this.#strategy.limit - cost);
    return this.#firstWith(nowMs, (water) => water <= mostWater);
  }

  fullAtMs(nowMs: number): number {
    return this.#firstWith(nowMs, (water) => water <= 0n);
  }

  /** From now on, as things are: a bucket that a wrong clock began is empty now, and not at each later instant anew. */
  #firstWith(nowMs: number, holds: (water: bigint) => boolean): number {
    const water = this.#water(nowMs);
    return firstInstant(nowMs, (ms) => holds(water - this.#ranOut(nowMs, ms)));
  }
}
