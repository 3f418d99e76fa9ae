import { toRfc3339 } from '@usher/limiter-core/bulk';
import type { AccountDayFacts, QuarantineEvent, UsageEvent } from '../model/facts.ts';
import { addByReason, addFigures, type ByReason, type Figures, inReasonOrder, noFigures } from '../model/figures.ts';
import type { AccountReport, HourFigures, Missing, WeekBefore } from '../model/report.ts';
import { missingOf } from './completeness.ts';
import { distinct } from './events.ts';
import { type DayBounds, type DayHour, hourAt } from './hours.ts';
import { Sample } from './latency.ts';
import { compareText, limitsOf } from './limits.ts';
import { reconcile } from './reconcile.ts';

/** The surroundings that an account's day is seen in. */
export interface DayContext {
  readonly nowMs: number;
  readonly hoursOf: (bounds: DayBounds) => readonly DayHour[];
  readonly weekBefore: WeekBefore | undefined;
}

/** One account's day, and what the sums need besides. */
export interface AccountDay {
  readonly report: AccountReport;
  readonly missing: readonly Missing[];
  readonly latencies: Sample;
  readonly quarantined: readonly QuarantineEvent[];
}

/** Folds the facts of one account's day into its report. */
export function accountDay(facts: AccountDayFacts, context: DayContext): AccountDay {
  const usage = distinct(facts.usageEvents);
  const quarantined = distinct(facts.quarantineEvents);
  const late = new Set(facts.lateEvents.map(({ eventId }) => eventId));
  const bounds = boundsOf(facts, usage.events);
  const sums = sumsOf(usage.events, context.hoursOf(bounds));
  const missing = missingOf(facts, { usage: usage.events, quarantined: quarantined.events }, context.nowMs);
  const limits = limitsOf(usage.events);
  const limit = limits.at(-1)?.limit ?? facts.counter?.limit ?? facts.policy?.dailyLimit ?? null;
  const used = facts.counter?.used ?? sums.figures.grantedCost;
  const report: AccountReport = {
    accountId: facts.accountId,
    timezone: facts.timezone,
    startsAt: toRfc3339(bounds.startsAtMs),
    resetsAt: toRfc3339(bounds.resetsAtMs),
    mode: modeOf(usage.events) ?? facts.policy?.mode ?? null,
    limit,
    limits,
    shareOfLimit: limit === null || limit === 0 ? null : Math.round((used / limit) * 10_000) / 10_000,
    used,
    ...sums.figures,
    rejectedByReason: inReasonOrder(sums.rejectedByReason),
    wouldRejectByReason: inReasonOrder(sums.wouldRejectByReason),
    bookings: bookingsOf(facts, usage.events),
    chunks: usage.events.length,
    hours: sums.hours,
    peakHour: peakOf(sums.hours),
    latency: sums.latencies.latency(),
    backlog: facts.backlog ?? null,
    quarantined: quarantined.events.length,
    repeats: facts.repeats + usage.repeats + quarantined.repeats,
    late: late.size,
    firstRefusalAt: firstRefusalOf(usage.events),
    weekBefore: context.weekBefore ?? null,
    deadLetters: facts.deadLetters ?? null,
    complete: missing.length === 0,
    reconciliation: reconcile(facts, sums.figures),
  };
  return { report, missing, latencies: sums.latencies, quarantined: quarantined.events };
}

/** The bounds of the day: of its window, and of an earlier one of another zone that shares its date. */
function boundsOf({ timezone, window }: AccountDayFacts, events: readonly UsageEvent[]): DayBounds {
  let startsAt = window.startsAt;
  let resetsAt = window.resetsAt;
  for (const { data } of events) {
    if (data.window.startsAt < startsAt) startsAt = data.window.startsAt;
    if (data.window.resetsAt > resetsAt) resetsAt = data.window.resetsAt;
  }
  return { timezone, startsAtMs: Date.parse(startsAt), resetsAtMs: Date.parse(resetsAt) };
}

interface Sums {
  readonly figures: Figures;
  readonly rejectedByReason: ByReason;
  readonly wouldRejectByReason: ByReason;
  readonly hours: HourFigures[];
  readonly latencies: Sample;
}

function sumsOf(events: readonly UsageEvent[], hours: readonly DayHour[]): Sums {
  const byHour = new Map<number, Figures>();
  const latencies = new Sample();
  const sums = { figures: noFigures(), rejectedByReason: {}, wouldRejectByReason: {} };
  for (const { data } of events) {
    const acceptedAtMs = Date.parse(data.acceptedAt);
    latencies.add(Date.parse(data.decidedAt) - acceptedAtMs);
    addByReason(sums.rejectedByReason, data.rejected.byReason);
    addByReason(sums.wouldRejectByReason, data.observed?.byReason ?? {});
    const figures = chunkFigures(data);
    addFigures(sums.figures, figures);
    const hour = hourAt(hours, acceptedAtMs);
    const inHour = byHour.get(hour) ?? noFigures();
    addFigures(inHour, figures);
    byHour.set(hour, inHour);
  }
  return { ...sums, hours: hours.flatMap((hour, at) => hourFigures(hour, byHour.get(at))), latencies };
}

function hourFigures({ hour, startsAt }: DayHour, figures: Figures | undefined): HourFigures[] {
  return figures === undefined ? [] : [{ hour, startsAt, ...figures }];
}

function chunkFigures({ granted, rejected, observed }: UsageEvent['data']): Figures {
  const held = sumOf(rejected.byReason);
  const letPass = sumOf(observed?.byReason ?? {});
  return {
    granted: granted.count,
    grantedCost: granted.cost,
    rejected: held.count,
    rejectedCost: held.cost,
    wouldReject: letPass.count,
    wouldRejectCost: letPass.cost,
  };
}

function sumOf(byReason: ByReason): { count: number; cost: number } {
  const amounts = Object.values(byReason);
  return {
    count: amounts.reduce((sum, { count }) => sum + count, 0),
    cost: amounts.reduce((sum, { cost }) => sum + cost, 0),
  };
}

/** The hour with the most granted cost; the earliest of several. */
export function peakOf(hours: readonly HourFigures[]): AccountReport['peakHour'] {
  let peak: AccountReport['peakHour'] = null;
  for (const { hour, grantedCost } of hours) {
    if (grantedCost > (peak?.grantedCost ?? 0)) peak = { hour, grantedCost };
  }
  return peak;
}

/** The mode of the day's last decision. */
function modeOf(events: readonly UsageEvent[]): UsageEvent['data']['mode'] | undefined {
  const last = events.reduce<UsageEvent | undefined>((latest, event) => {
    if (latest === undefined) return event;
    const later =
      compareText(event.data.decidedAt, latest.data.decidedAt) || compareText(event.metadata.id, latest.metadata.id);
    return later > 0 ? event : latest;
  }, undefined);
  return last?.data.mode;
}

function bookingsOf({ headers }: AccountDayFacts, events: readonly UsageEvent[]): number {
  return new Set([...headers.map(({ bookingId }) => bookingId), ...events.map(({ data }) => data.bookingId)]).size;
}

function firstRefusalOf(events: readonly UsageEvent[]): string | null {
  let first: string | null = null;
  for (const { data } of events) {
    const isRefusal = sumOf(data.rejected.byReason).count > 0;
    if (isRefusal && (first === null || data.decidedAt < first)) first = data.decidedAt;
  }
  return first;
}
