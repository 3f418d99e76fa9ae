import { builtInPolicy } from '@usher/limiter-core/bulk';
import { longestCallMs } from '@usher/worker';
import type { History } from './history.ts';
import { Prng } from './prng.ts';
import type { Scenario } from './scenario.ts';
import { drawScenario } from './themes.ts';
import { read } from './wire.ts';

/** A run of one account, without faults, in which everything happens that the forgeries need. */
export function forgeableScenario(): Scenario {
  const drawn = drawScenario(new Prng(1));
  const details = { passport: 'X 1' };
  const defaultPolicy = { ...builtInPolicy, dailyLimit: 200, refillPerSecond: 0.1, burst: 5 };
  return {
    ...drawn,
    faultSpans: [],
    faults: { rates: new Map(), focuses: [] },
    poison: [],
    accounts: ['acme'],
    versions: [{ defaultPolicy, deadlineMarginMs: longestCallMs }],
    policyChanges: [],
    maxSkewMs: 0,
    sentTwice: 0,
    bookings: Array.from({ length: 3 }, (_, i) => ({
      accountId: 'acme',
      key: `key-${i}`,
      mode: 'partial',
      rows: [40, 30, 25].map((cost, row) => ({ id: `r${row}`, cost, details })),
      submitAtMs: drawn.startMs + i * 60_000,
      patience: 0,
      returnsAfterMs: undefined,
      repeats: [],
      isReuse: false,
      questions: 0,
    })),
  };
}

/** Replaces the first of a list that the forger changes. */
export function forge<T>(list: T[], forger: (one: T) => T | undefined): void {
  for (const [i, one] of list.entries()) {
    const forged = forger(one);
    if (forged === undefined) continue;
    list[i] = forged;
    return;
  }
  throw new Error('there is nothing to forge in this run');
}

/** Forges all events of one kind that are of the same id as the first. */
export function forgeEvents(history: History, kind: string, from: string, to: string): void {
  const events = history.events as { detailType: string; detail: string; atMs: number }[];
  const first = events.find(({ detailType, detail }) => detailType === kind && detail.includes(from));
  if (first === undefined) throw new Error(`there is no ${kind} with ${from}`);
  const { id } = read.event(first.detail).metadata;
  for (const [i, event] of events.entries()) {
    if (event.detail.includes(id)) events[i] = { ...event, detail: event.detail.replace(from, to) };
  }
}
