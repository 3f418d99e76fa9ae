import { isGranted, type RejectReason, rejectReasons, windowOn } from '@usher/limiter-core/bulk';
import type { Run } from '../aggregate/day-report.ts';
import type { AccountDayFacts, HeaderFact, LedgerFact, QuarantineEvent, UsageEvent } from '../model/facts.ts';
import type { Amount, ByReason } from '../model/figures.ts';

/** A Sunday without a change of clocks. */
export const date = '2026-11-29';
/** An hour after the day's end in UTC. */
export const nowMs = Date.parse('2026-11-30T01:00:00.000Z');

export const aRun: Run = { date, timezone: 'UTC', run: 1, nowMs };

/** A decided chunk, as a test tells it. */
export interface ToldChunk {
  readonly bookingId?: string;
  readonly chunk?: number;
  /** Chunks of its booking. */
  readonly chunks?: number;
  readonly acceptedAt?: string;
  readonly decidedAt?: string;
  readonly limit?: number;
  readonly granted?: Amount;
  /** Reasons against rows; in observe mode those of the quota are observed and not rejected. */
  readonly byReason?: ByReason;
  readonly mode?: 'enforce' | 'observe';
}

export interface ToldAccount {
  readonly accountId?: string;
  readonly date?: string;
  readonly timezone?: string;
  readonly chunks?: readonly ToldChunk[];
}

/** An account's day from its chunks, with headers, counter and ledger that agree with them. */
export function factsOf(told: ToldAccount, more: Partial<AccountDayFacts> = {}): AccountDayFacts {
  const { accountId = 'acme', timezone = 'UTC', chunks = [] } = told;
  const window = windowOn(told.date ?? date, timezone);
  const usageEvents = chunks.map((chunk) => usageEvent(chunk, window));
  const ledger = usageEvents.map(ledgerFact);
  const counter = {
    used: sum(ledger, ({ grantedCost }) => grantedCost),
    rejected: sum(ledger, ({ rejectedCost }) => rejectedCost),
    over: sum(ledger, ({ overCost }) => overCost),
    limit: usageEvents.at(-1)?.data.limit ?? null,
  };
  return {
    accountId,
    date: window.date,
    timezone,
    window,
    usageEvents,
    quarantineEvents: [],
    repeats: 0,
    lateEvents: [],
    headers: headersOf(chunks, usageEvents),
    counter,
    counterAfter: counter,
    ledger,
    policy: { dailyLimit: 1000, mode: 'enforce' },
    backlog: undefined,
    deadLetters: undefined,
    ...more,
  };
}

export function usageEvent(told: ToldChunk, window: UsageEvent['data']['window']): UsageEvent {
  const { bookingId = 'bk_a', chunk = 0, acceptedAt = window.startsAt, limit = 1000, byReason = {} } = told;
  const mode = told.mode ?? 'enforce';
  const observed = reasonsThat(byReason, (reason) => isGranted({ policyMode: mode }, reason));
  return {
    metadata: { id: `${bookingId}#${chunk}#usage` },
    data: {
      bookingId,
      chunk,
      window,
      limit,
      acceptedAt,
      decidedAt: told.decidedAt ?? acceptedAt,
      mode,
      granted: told.granted ?? { count: 0, cost: 0 },
      rejected: { byReason: reasonsThat(byReason, (reason) => !isGranted({ policyMode: mode }, reason)) },
      ...(Object.keys(observed).length === 0 ? {} : { observed: { byReason: observed } }),
    },
  };
}

function reasonsThat(byReason: ByReason, holds: (reason: RejectReason) => boolean): ByReason {
  const kept: ByReason = {};
  for (const reason of rejectReasons) if (byReason[reason] && holds(reason)) kept[reason] = byReason[reason];
  return kept;
}

export function quarantineEvent(id: string, data: Partial<QuarantineEvent['data']> = {}): QuarantineEvent {
  return { metadata: { id }, data: { reason: 'invalid_message', ...data } };
}

/** The ledger's entry of a chunk, as its event tells it. */
export function ledgerFact({ data }: UsageEvent): LedgerFact {
  const cost = (of: ByReason = {}): number => sum(Object.values(of), (amount) => amount.cost);
  return {
    bookingId: data.bookingId,
    chunkIndex: data.chunk,
    grantedCost: data.granted.cost,
    rejectedCost: cost(data.rejected.byReason),
    overCost: cost(data.observed?.byReason),
  };
}

function headersOf(told: readonly ToldChunk[], events: readonly UsageEvent[]): HeaderFact[] {
  const headers = new Map<string, HeaderFact>();
  for (const [at, { data }] of events.entries()) {
    const known = headers.get(data.bookingId);
    headers.set(data.bookingId, {
      bookingId: data.bookingId,
      acceptedAt: data.acceptedAt,
      rows: (known?.rows ?? 0) + data.granted.count,
      chunks: Math.max(known?.chunks ?? 0, told[at]?.chunks ?? data.chunk + 1),
      status: 'accepted',
    });
  }
  return [...headers.values()];
}

function sum<T>(of: readonly T[], value: (one: T) => number): number {
  return of.reduce((total, one) => total + value(one), 0);
}
