import type { Policy } from '../limiter/store.ts';
import type { State } from '../limiter/strategies/strategy.ts';
import { attributes, isStale, slidingStart, spansAt } from './attributes.ts';
import { giveBackToBucket, mendBucket, takeFromBucket } from './bucket-update.ts';
import { Expression, identifyOperators, maxOperators } from './expression.ts';
import { giveBackToSlidingWindow, slidingOperators, takeFromSlidingWindow } from './sliding-update.ts';
import type { StoredItem } from './stored-item.ts';
import { giveBackToWindow, takeFromWindow } from './window-update.ts';

/** The item stays this long after the last of its states has become a full limit. */
const keptMs = 3_600_000;

/** TTLs are rounded up to this, so that most writes of a key have the same one. */
const ttlStepMs = 3_600_000;

/** Cleared windows of one write. */
const maxCleared = 50;

/** A change of a key, and the item as it was last seen. An absent one is a full limit. */
export interface Change {
  readonly policies: readonly Policy[];
  readonly item: StoredItem;
  readonly nowMs: number;
  readonly ttlAttribute: string;
}

export interface Take {
  readonly cost: number;
  /** False where a cost is taken whatever is left. */
  readonly isBounded: boolean;
  /** The buckets that were seen idle and are taken for busy ones all the same; none when left out. */
  readonly isLikelyBusy?: (policy: string) => boolean;
}

/** Policies, the block and the TTL in one conditional write: all of a cost or none of it. */
export function takeExpression(change: Change, { cost, isBounded, isLikelyBusy = () => false }: Take): Expression {
  const { policies, item, nowMs } = change;
  const x = new Expression();
  if (isBounded) {
    x.require(`NOT ${x.name(attributes.blockedUntil)} > ${x.number(nowMs)}`);
  }
  let neededMs = 0;
  const sliding = [];
  for (const { name, strategy } of policies) {
    const part = { name, item, nowMs, cost };
    if (strategy.kind === 'sliding') sliding.push({ ...part, strategy });
    else if (strategy.kind === 'bucket')
      neededMs = Math.max(
        neededMs,
        takeFromBucket(x, { ...part, strategy, isLikelyBusy: isLikelyBusy(name) }, isBounded),
      );
    else neededMs = Math.max(neededMs, takeFromWindow(x, { ...part, strategy }, isBounded));
  }
  for (const { strategy } of sliding) {
    neededMs = Math.max(neededMs, slidingStart(strategy, nowMs) + 3 * strategy.windowMs);
  }
  keepUntil(x, change, neededMs);
  const room = maxOperators - identifyOperators - x.operators - sliding.length * slidingOperators.beside;
  const rungs = Math.floor(room / (slidingOperators.perRung * Math.max(1, sliding.length)));
  for (const part of sliding) takeFromSlidingWindow(x, part, { rungs, isBounded });
  for (const name of staleOf(change)) x.remove(name);
  return x;
}

/** A refund, of which each policy gets what its rule tells, and whether all of them get something. */
export function giveBackExpression(
  change: Change,
  cost: number,
  taken: readonly State[],
): { readonly expression: Expression; readonly isForAll: boolean } {
  const { policies, item, nowMs } = change;
  const expression = new Expression();
  let neededMs = 0;
  let isForAll = true;
  for (const [i, { name, strategy }] of policies.entries()) {
    const before = taken[i];
    if (before === undefined) continue;
    const part = { name, item, nowMs, cost };
    const sets = expression.sets;
    if (strategy.kind === 'bucket') {
      neededMs = Math.max(neededMs, giveBackToBucket(expression, { ...part, strategy }, before));
    } else if (strategy.kind === 'window') giveBackToWindow(expression, { ...part, strategy }, before);
    else giveBackToSlidingWindow(expression, { ...part, strategy }, before);
    isForAll &&= expression.sets > sets;
  }
  if (neededMs > 0) keepUntil(expression, change, neededMs);
  return { expression, isForAll };
}

/** Buckets that a wrong clock changed are made empty as of now: else they stay so until that clock's instant has come. */
export function mendExpression(change: Change): Expression {
  const { policies, item, nowMs } = change;
  const x = new Expression();
  let neededMs = 0;
  for (const { name, strategy } of policies) {
    if (strategy.kind === 'bucket')
      neededMs = Math.max(neededMs, mendBucket(x, { name, strategy, item, nowMs, cost: 0 }));
  }
  if (neededMs > 0) keepUntil(x, change, neededMs);
  return x;
}

export function blockExpression(change: Omit<Change, 'policies'>, untilMs: number): Expression {
  const x = new Expression();
  x.set(attributes.blockedUntil, x.number(untilMs));
  keepUntil(x, change, untilMs);
  return x;
}

/**
 * Keeps the item at least until an instant. A TTL is never made earlier, for that of another plan's limits or of a block
 * may be later than this write knows of.
 */
function keepUntil(x: Expression, { item, ttlAttribute }: Omit<Change, 'policies'>, neededMs: number): void {
  const expiresAt = (Math.ceil((neededMs + keptMs) / ttlStepMs) * ttlStepMs) / 1000;
  const ttl = x.name(ttlAttribute);
  if ((item.number(ttlAttribute) ?? 0) > expiresAt) {
    x.require(`${ttl} >= ${x.number(expiresAt)}`);
    return;
  }
  x.require(`NOT ${ttl} > ${x.number(expiresAt)}`);
  x.set(ttlAttribute, x.number(expiresAt));
}

/**
 * The windows to clear in the same write: those that the item was seen to hold. Of an item that was not seen they are
 * guessed, for a key that always meets a new process.
 */
function staleOf({ policies, item, nowMs }: Change): string[] {
  if (item.isSeen) return staleIn(item, nowMs);
  return policies.flatMap((policy) =>
    earlierWindows(policy, nowMs)
      .filter((name) => isStale(name, nowMs))
      .slice(0, 4),
  );
}

/** The windows of an item that are over, as many as one write clears. */
export function staleIn(item: StoredItem, nowMs: number): string[] {
  return item.names.filter((name) => isStale(name, nowMs)).slice(0, maxCleared);
}

/** The names of a policy's last windows, the latest first; none for calendars. */
function earlierWindows({ name, strategy }: Policy, nowMs: number): string[] {
  const back = Array.from({ length: 10 }, (_, i) => i + 1);
  if (strategy.kind === 'sliding') {
    const { windowMs } = strategy;
    return back.map((n) => attributes.sliding(name, slidingStart(strategy, nowMs) - n * windowMs, windowMs));
  }
  if (strategy.kind !== 'window' || strategy.fixedMs === undefined) return [];
  const { fixedMs } = strategy;
  const { own } = spansAt(strategy, nowMs);
  return back.map((n) =>
    attributes.window(name, { startMs: own.startMs - n * fixedMs, endMs: own.endMs - n * fixedMs }),
  );
}
