import type { Pacing, Reservation } from '@usher/contracts';
import { dispatchTimes, type Outcome, toRfc3339 } from '@usher/limiter-core';

/** Granted rows due within the same whole second, counted from the decision: they share one dispatch message. */
export interface Slot {
  /** 0 for what is due at once, n for what is due in the n-th second after. Part of the dispatch's id. */
  readonly slot: number;
  /** When the last of its rows is due, and so the whole slot: milliseconds since the Unix epoch. */
  readonly dueAtMs: number;
  readonly cost: number;
  readonly rows: readonly DueRow[];
}

export interface DueRow extends Reservation {
  readonly dueAtMs: number;
}

/** What slots come from, and how fast overdue ones may go. */
export type SlotOrigin = Omit<Pacing, 'v' | 'reservations'>;

/** The slots that one record has to hand on. */
export interface ChunkSlots {
  readonly origin: SlotOrigin;
  readonly slots: readonly Slot[];
}

/** The slots of a chunk: a function of its rows and outcome alone, so that every replay makes the very same ones. */
export function slotsOf(rows: readonly Reservation[], outcome: Outcome): Slot[] {
  const times = dispatchTimes(
    outcome,
    rows.map(({ cost }) => cost),
  );
  const due = rows.flatMap((row, i) => {
    const dueAtMs = times[i] ?? null;
    return dueAtMs === null ? [] : [{ ...row, dueAtMs }];
  });
  return groupBySecond(due, outcome.settledAt);
}

/** The slots of the rows that a pacing message holds, numbered as the chunk's own. */
export function slotsOfPacing({ reservations, settledAt }: Pacing): Slot[] {
  const due = reservations.map(({ dispatchAt, ...row }) => ({ ...row, dueAtMs: Date.parse(dispatchAt) }));
  return groupBySecond(due, Date.parse(settledAt));
}

/** The pacing message that holds slots for later. */
export function toPacing({ origin, slots }: ChunkSlots): Pacing {
  const reservations = slots.flatMap(({ rows }) =>
    rows.map(({ dueAtMs, ...row }) => ({ ...row, dispatchAt: toRfc3339(dueAtMs) })),
  );
  return { v: 1, ...origin, reservations };
}

function groupBySecond(rows: readonly DueRow[], settledAtMs: number): Slot[] {
  const slots = Map.groupBy(rows, ({ dueAtMs }) => Math.ceil((dueAtMs - settledAtMs) / 1000));
  return [...slots].map(([slot, own]) => ({
    slot,
    dueAtMs: own.reduce((latest, { dueAtMs }) => Math.max(latest, dueAtMs), 0),
    cost: own.reduce((total, { cost }) => total + cost, 0),
    rows: own,
  }));
}
