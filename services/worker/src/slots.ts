import type { Pacing, Reservation } from '@usher/contracts';
import { dispatchTimes, type Outcome, type Rate } from '@usher/limiter-core/bulk';
import type { PacingDelivery, SettledDelivery } from './deliveries.ts';
import type { Owner } from './invocation.ts';

/** Granted rows due within the same whole second, counted from the decision: they share one dispatch message. */
export interface Slot {
  /** 0 for what is due at once, n for what is due in the n-th second after. Part of the dispatch's id. */
  readonly slot: number;
  /** The instant at which the last of its rows is due, and so the whole slot: milliseconds since the Unix epoch. */
  readonly dueAtMs: number;
  readonly cost: number;
  readonly rows: readonly DueRow[];
}

export interface DueRow extends Reservation {
  readonly dueAtMs: number;
}

/** The slots of one chunk that one delivery has to hand on, and the rate at which overdue ones may go. */
export interface ChunkSlots extends Owner, Rate {
  readonly accountId: string;
  readonly bookingId: string;
  readonly chunkIndex: number;
  /** The hop of the pacing message that takes what is left: 0 from the worker, from the pacer one more than its own. */
  readonly nextHop: number;
  /** The instant that slots are counted from, in milliseconds since the Unix epoch. */
  readonly settledAtMs: number;
  readonly slots: readonly Slot[];
}

/** The slots of a settled chunk. */
export function slotsOfSettled({ delivery, chunk, outcome }: SettledDelivery): ChunkSlots {
  const { accountId, bookingId, chunkIndex, rows } = chunk;
  const { settledAtMs, refillPerSecond, burst } = outcome;
  const slots = slotsOf(rows, outcome);
  return { delivery, accountId, bookingId, chunkIndex, nextHop: 0, settledAtMs, refillPerSecond, burst, slots };
}

/** The slots that a pacing message holds, numbered as the chunk's own. */
export function slotsOfPacing({ delivery, pacing }: PacingDelivery): ChunkSlots {
  const { accountId, bookingId, chunk: chunkIndex, hop, settledAt, refillPerSecond, burst, reservations } = pacing;
  const settledAtMs = Date.parse(settledAt);
  const slots = groupBySecond(dueRows(reservations), settledAtMs);
  return { delivery, accountId, bookingId, chunkIndex, nextHop: hop + 1, settledAtMs, refillPerSecond, burst, slots };
}

/** Cuts rows into slots: a function of rows and outcome alone, so that every replay makes the very same ones. */
export function slotsOf(rows: readonly Reservation[], outcome: Outcome): Slot[] {
  const times = dispatchTimes(outcome, rows);
  const due = rows.flatMap((row, i) => {
    const dueAtMs = times[i] ?? null;
    return dueAtMs === null ? [] : [{ ...row, dueAtMs }];
  });
  return groupBySecond(due, outcome.settledAtMs);
}

function dueRows(reservations: Pacing['reservations']): DueRow[] {
  return reservations.map(({ dispatchAt, ...row }) => ({ ...row, dueAtMs: Date.parse(dispatchAt) }));
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
