import { type Bucket, type BucketState, isFromAhead, maxClockSkewMs } from '../limiter/strategies/bucket.ts';
import type { State } from '../limiter/strategies/strategy.ts';
import { attributes } from './attributes.ts';
import type { Expression } from './expression.ts';
import type { StoredItem } from './stored-item.ts';

/** One policy's part of an update: who, when, how much, and the item as it was last seen. */
export interface Part<S> {
  readonly name: string;
  readonly strategy: S;
  readonly item: StoredItem;
  readonly nowMs: number;
  readonly cost: number;
}

/** A part of a take; the item may have been changed since. */
export interface TakePart extends Part<Bucket> {
  /** True where an idle bucket is taken for a busy one: others are at it. */
  readonly isLikelyBusy: boolean;
}

/**
 * Adds a take from a bucket. An update knows no maximum, so that the branch is guessed from the item as it was seen: an idle
 * bucket is started now, a busy one's TAT is moved by addition. Its condition is what makes the guess safe. What no
 * expression can say, another rate or a wrong clock's instant, is worked out here and put in place of just that state.
 *
 * @param isBounded false where a cost is taken whatever is left
 * @returns the instant until which the state matters
 */
export function takeFromBucket(x: Expression, part: TakePart, isBounded: boolean): number {
  const { name, strategy, item, nowMs, cost } = part;
  const { limit, ticksPerMs, ticksPerCost } = strategy;
  const stored = item.bucket(name);
  if (stored !== undefined && !isPlain(stored, part)) {
    const current = strategy.current(stored, nowMs);
    if (!isBounded || strategy.remaining(current, nowMs) >= cost) {
      return replace(x, part, stored, strategy.take(current, nowMs, cost));
    }
  }
  const now = nowMs * ticksPerMs;
  const taken = cost * ticksPerCost;
  const tat = x.name(attributes.tat(name));
  if (stored === undefined || (stored.tat < now && !part.isLikelyBusy)) {
    x.require(`(attribute_not_exists(${tat}) OR (${tat} < ${x.number(now)} AND ${plain(x, part)}))`);
    put(x, name, strategy.take(strategy.current(undefined, nowMs), nowMs, cost));
    return Math.ceil((now + taken) / ticksPerMs);
  }
  const size = limit * ticksPerCost;
  const latest = isBounded ? now + size - taken : Math.max(stored.tat, now + size);
  x.require(`${tat} BETWEEN ${x.number(now)} AND ${x.number(latest)}`);
  x.require(plain(x, part));
  x.set(attributes.tat(name), `${tat} + ${x.number(taken)}`);
  return Math.ceil((latest + taken) / ticksPerMs);
}

/**
 * Adds a refund to a bucket. It depends on what was given back before, so that this must be as it was seen; what others
 * took above the refunded cost may go on. Returns as {@link takeFromBucket}; 0 where that is no later than before.
 */
export function giveBackToBucket(x: Expression, part: Part<Bucket>, before: State): number {
  const { name, strategy, item, nowMs, cost } = part;
  const stored = item.bucket(name);
  if (stored === undefined) return 0;
  const current = strategy.current(stored, nowMs);
  const after = strategy.giveBack(current, nowMs, cost, before);
  if (after === current) return 0;
  if (current !== stored) return replace(x, part, stored, after);
  const [tat, given] = [x.name(attributes.tat(name)), x.name(attributes.given(name))];
  x.require(`${x.name(attributes.rate(name))} = ${x.text(rateOf(strategy))}`);
  x.require(`${x.name(attributes.since(name))} = ${x.number(stored.sinceMs)}`);
  x.require(`${given} = ${x.number(stored.given)}`);
  const back = current.tat - after.tat;
  // The end of the refunded cost, as the rule reckons it: what lies above is others', however much it has become since.
  const end = (before.kind === 'bucket' ? before.tat + before.given : 0) - current.given;
  x.require(current.tat > end ? `${tat} > ${x.number(end)}` : `${tat} = ${x.number(current.tat)}`);
  if (after.given !== current.given) x.set(attributes.given(name), x.number(after.given));
  x.set(attributes.tat(name), `${tat} - ${x.number(back)}`);
  return 0;
}

/** Puts the state that a wrong clock left in its place: empty as of now. Returns as {@link takeFromBucket}, 0 for others. */
export function mendBucket(x: Expression, part: Part<Bucket>): number {
  const { name, strategy, item, nowMs } = part;
  const stored = item.bucket(name);
  if (stored === undefined || !isFromAhead(stored, nowMs)) return 0;
  return replace(x, part, stored, strategy.current(stored, nowMs));
}

/** True for a state that an expression may count on: of this rate, and of no wrong clock. */
function isPlain(stored: BucketState, { strategy, nowMs }: Part<Bucket>): boolean {
  return rateOf(stored) === rateOf(strategy) && !isFromAhead(stored, nowMs);
}

/** The same as a condition. */
function plain(x: Expression, { name, strategy, nowMs }: Part<Bucket>): string {
  const rate = `${x.name(attributes.rate(name))} = ${x.text(rateOf(strategy))}`;
  return `${rate} AND ${x.name(attributes.since(name))} <= ${x.number(nowMs + maxClockSkewMs)}`;
}

/** Puts one state in the place of just that one. Returns as {@link takeFromBucket}. */
function replace(x: Expression, { name, strategy }: Part<Bucket>, stored: BucketState, by: BucketState): number {
  x.require(`${x.name(attributes.tat(name))} = ${x.number(stored.tat)}`);
  x.require(`${x.name(attributes.rate(name))} = ${x.text(rateOf(stored))}`);
  x.require(`${x.name(attributes.since(name))} = ${x.number(stored.sinceMs)}`);
  x.require(`${x.name(attributes.given(name))} = ${x.number(stored.given)}`);
  put(x, name, by);
  return Math.ceil(by.tat / strategy.ticksPerMs);
}

function put(x: Expression, name: string, state: BucketState): void {
  x.set(attributes.tat(name), x.number(state.tat));
  x.set(attributes.rate(name), x.text(rateOf(state)));
  x.set(attributes.since(name), x.number(state.sinceMs));
  x.set(attributes.given(name), x.number(state.given));
}

function rateOf({ ticksPerMs, ticksPerCost }: { readonly ticksPerMs: number; readonly ticksPerCost: number }): string {
  return `${ticksPerMs}/${ticksPerCost}`;
}
