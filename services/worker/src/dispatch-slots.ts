import type { Pacing, Reservation } from '@usher/contracts';
import { dispatchTimes, type Outcome, type Rate, schedule, toRfc3339 } from '@usher/limiter-core';

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
export function toPacing(slots: readonly Slot[], of: Omit<Pacing, 'v' | 'reservations'>): Pacing {
  const reservations = slots.flatMap(({ rows }) =>
    rows.map(({ dueAtMs, ...row }) => ({ ...row, dispatchAt: toRfc3339(dueAtMs) })),
  );
  return { v: 1, ...of, reservations };
}

/**
 * When slots go out that are sent at `nowMs`: at their time, and what is overdue by then (after a crash, an outage)
 * from now on at the bucket's rate instead of all at once. Several chunks of an account share one release, so that
 * their overdue slots do not add up.
 */
export class Release {
  readonly #nowMs: number;
  #debtMicros = 0;

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  /** For each slot the instant at which it may go out, in milliseconds since the Unix epoch; never before it is due. */
  times(slots: readonly Slot[], rate: Rate): readonly number[] {
    const { dueAtMs, debtMicros } = schedule(
      { nowMs: this.#nowMs, debtMicros: this.#debtMicros },
      rate,
      slots.map(({ cost }) => cost),
      slots.map((slot) => slot.dueAtMs),
    );
    this.#debtMicros = debtMicros;
    return dueAtMs;
  }
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
