import { currentStates, reasonToRefuse } from '../limiter/decision.ts';
import { OverloadedError, StoreUnavailableError } from '../limiter/errors.ts';
import type { Policy, Seen } from '../limiter/store.ts';
import type { Rule } from '../limiter/strategies/strategy.ts';
import { untaken } from '../limiter/untaken.ts';
import type { StoredItem } from './stored-item.ts';
import type { Updated } from './table.ts';
import type { Waiting } from './take-queue.ts';

/** The calls of a batch. */
export interface BatchCalls {
  /** Takes a cost in one conditional write; `isGuess` where the item may have changed since it was seen. */
  take(item: StoredItem, cost: number, isGuess: boolean): Promise<Updated>;
  /** Reads the item. */
  get(): Promise<StoredItem>;
  /** Writes what a refusal must not leave as it is, if there is anything. */
  mend(item: StoredItem): Promise<Updated | undefined>;
}

/** Each lost round means that another process changed the key in between. */
const maxRounds = 50;

/**
 * Decides a batch as if its takes came one after the other. One write takes the sum of those that fit by the item as it was
 * last seen. A failed condition brings the item as it is: those that fit are chosen again. After a write the item tells each
 * one's state, and of those that were left out each is refused by the state at its place, or tried again.
 *
 * @param item the item as it was last seen
 * @throws OverloadedError where the key changes under every round
 */
export async function decideBatch(
  batch: readonly Waiting[],
  { policies, nowMs, item }: { policies: readonly Policy[]; nowMs: number; item: StoredItem },
  calls: BatchCalls,
): Promise<void> {
  let open = batch;
  let seen = item;
  let isTrue = false;
  for (let round = 0; round < maxRounds; round++) {
    open = open.filter(isWaitedFor);
    if (open.length === 0) return;
    const last = seen.seen(policies, nowMs);
    let chosen = isTrue ? firstFit(policies, last, open) : firstRun(policies, last, open);
    // What was seen before may have changed: only the item as it is refuses.
    if (chosen.size === 0 && !isTrue) chosen = firstRun(policies, untouched(policies, nowMs), open);
    if (chosen.size === 0 && isTrue) {
      const mended = await calls.mend(seen);
      seen = mended?.item ?? seen;
      if (mended?.isDone === false) continue;
      const left = seen.seen(policies, nowMs);
      for (const { resolve } of open) resolve({ ...left, taken: false });
      return;
    }
    // No cost at all fits a full limit: there is nothing to write, and only a read tells the states.
    const updated: Updated =
      chosen.size === 0 ? { isDone: false, item: await calls.get() } : await calls.take(seen, sumOf(chosen), !isTrue);
    seen = updated.item;
    isTrue = true;
    if (updated.isDone) open = answer(policies, seen.seen(policies, nowMs), open, chosen);
  }
  throw new OverloadedError();
}

/** Answers by the key as a write left it. Returns those that fit at their place after all, and those behind them. */
function answer(
  policies: readonly Policy[],
  after: Seen,
  open: readonly Waiting[],
  chosen: ReadonlySet<Waiting>,
): Waiting[] {
  const left: Waiting[] = [];
  let later = sumOf(chosen);
  for (const waiting of open) {
    if (chosen.has(waiting)) later -= waiting.cost;
    const seen = { ...after, states: untaken(policies, after.states, later) };
    if (chosen.has(waiting)) waiting.resolve({ ...seen, taken: true });
    // Behind one that is not decided yet, nobody is.
    else if (left.length > 0 || reasonToRefuse(policies, seen, waiting.cost) === undefined) left.push(waiting);
    else waiting.resolve({ ...seen, taken: false });
  }
  return left;
}

/** Those that fit one after the other; a refused one takes nothing from those behind it. */
function firstFit(policies: readonly Policy[], seen: Seen, open: readonly Waiting[]): Set<Waiting> {
  const chosen = new Set<Waiting>();
  let states: Seen['states'] = currentStates(policies, seen);
  for (const waiting of open) {
    if (reasonToRefuse(policies, { ...seen, states }, waiting.cost) !== undefined) continue;
    chosen.add(waiting);
    states = policies.map(({ strategy }, i) => {
      const rule: Rule = strategy;
      return rule.take(rule.current(states[i], seen.nowMs), seen.nowMs, waiting.cost);
    });
  }
  return chosen;
}

/** Those that fit one after the other, up to the first that does not: it may fit, and comes before those behind it. */
function firstRun(policies: readonly Policy[], seen: Seen, open: readonly Waiting[]): Set<Waiting> {
  const chosen = firstFit(policies, seen, open);
  const refused = open.findIndex((waiting) => !chosen.has(waiting));
  return refused === -1 ? chosen : new Set(open.slice(0, refused));
}

function untouched(policies: readonly Policy[], nowMs: number): Seen {
  return { states: policies.map(() => undefined), blockedUntilMs: 0, nowMs };
}

function sumOf(takes: Iterable<Waiting>): number {
  let sum = 0;
  for (const { cost } of takes) sum += cost;
  return sum;
}

/** False for a take that its limiter has given up; it is told so, and takes part in no further call. */
function isWaitedFor({ limits: { signal }, reject }: Waiting): boolean {
  if (!signal?.aborted) return true;
  reject(new StoreUnavailableError('nobody waits any more', { cause: signal.reason }));
  return false;
}
