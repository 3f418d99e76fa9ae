import type { SlidingWindow } from '../limiter/strategies/sliding-window.ts';
import type { State } from '../limiter/strategies/strategy.ts';
import { attributes, slidingStart } from './attributes.ts';
import type { Part } from './bucket-update.ts';
import type { Expression } from './expression.ts';
import { subtract } from './window-update.ts';

/** Operators of a rung, and those of a take beside its rungs. */
export const slidingOperators = { perRung: 4, beside: 4 } as const;

/** The rungs where a limit has more steps than fit. */
const sampledRungs = 16;

/**
 * Adds a take from a sliding window. Conditions cannot multiply, so that `floor(previous · share) + used + cost ≤ limit` is
 * said as a ladder: for each weight of the window before, the most that it may hold and the most that may be used beside.
 * With a rung for each weight it is exact. Else it is a selection, always with the rung of what was last seen: it may
 * refuse what fits, which the item that comes back tells, and never takes what does not.
 *
 * @param rungs the most that there is room for
 * @param isBounded false where a cost is taken whatever is left
 * @returns the instant until which the state matters
 */
export function takeFromSlidingWindow(
  x: Expression,
  part: Part<SlidingWindow>,
  { rungs, isBounded }: { readonly rungs: number; readonly isBounded: boolean },
): number {
  const { name, strategy, item, nowMs, cost } = part;
  const { windowMs } = strategy;
  const ownMs = slidingStart(strategy, nowMs);
  const attributeFrom = (startMs: number): string => attributes.sliding(name, startMs, windowMs);
  const following = attributeFrom(ownMs + windowMs);
  const isNext = item.number(following) !== undefined;
  const startMs = isNext ? ownMs + windowMs : ownMs;
  x.require(isNext ? `attribute_exists(${x.name(following)})` : `attribute_not_exists(${x.name(following)})`);
  const used = attributeFrom(startMs);
  const previous = attributeFrom(startMs - windowMs);
  if (isBounded) {
    // The window that another clock has begun lies ahead: all of the one before it counts.
    const shareMs = isNext ? windowMs : ownMs + windowMs - nowMs;
    // Seen in its running window already, the one before it hardly changes: its own rung will do.
    const most = item.number(used) === undefined ? rungs : Math.min(rungs, 2);
    const seen = item.number(previous) ?? 0;
    const ladder = ladderOf({ room: strategy.limit - cost, windowMs, shareMs, rungs: most, seen });
    const [p, u] = [x.name(previous), x.name(used)];
    // Said as a refusal, so that what is absent is never above anything.
    const above = ladder.map((rung) => `(${p} > ${x.number(rung.previous)} OR ${u} > ${x.number(rung.used)})`);
    // Parentheses around parentheses are an error.
    x.require(`NOT ${above.length === 1 ? above[0] : `(${above.join(' AND ')})`}`);
  }
  x.set(used, `if_not_exists(${x.name(used)}, ${x.number(0)}) + ${x.number(cost)}`);
  return startMs + 2 * windowMs;
}

/** The most that the window before may hold, and the most that may be used in the running one beside it. */
interface Rung {
  readonly previous: number;
  readonly used: number;
}

/**
 * A take's ladder.
 *
 * @param options.room what the take leaves of the limit
 * @param options.shareMs the part of the window before that still lies in the span
 * @param options.seen what the window before was last seen to hold
 */
function ladderOf({
  room,
  windowMs,
  shareMs,
  rungs,
  seen,
}: {
  readonly room: number;
  readonly windowMs: number;
  readonly shareMs: number;
  readonly rungs: number;
  readonly seen: number;
}): Rung[] {
  const rungOf = (weight: number): Rung => ({
    previous: Math.floor(((weight + 1) * windowMs - 1) / shareMs),
    used: room - weight,
  });
  if (room + 1 <= rungs) return Array.from({ length: room + 1 }, (_, weight) => rungOf(weight));
  const samples = Math.max(1, Math.min(sampledRungs, rungs - 1));
  const weights = new Set<number>([Math.min(room, Math.floor((seen * shareMs) / windowMs))]);
  for (let i = 0; i < samples; i++) weights.add(Math.floor((i * room) / Math.max(1, samples - 1)));
  return [...weights].map(rungOf);
}

/** Adds a refund to the window that a cost was taken from, if that one still counts, as the running one or the one before. */
export function giveBackToSlidingWindow(x: Expression, part: Part<SlidingWindow>, taken: State): void {
  const { name, strategy, item, nowMs, cost } = part;
  const [stored] = item.seen([part], nowMs).states;
  const current = strategy.current(stored, nowMs);
  if (taken.kind !== 'sliding' || strategy.giveBack(current, nowMs, cost, taken) === current) return;
  subtract(x, attributes.sliding(name, taken.startMs, strategy.windowMs), cost);
}
