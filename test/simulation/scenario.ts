import { builtInPolicy, type Policy } from '@usher/limiter-core';
import { type FaultKind, type FaultRates, type Focus, faultKinds, type Storm } from './faults.ts';
import type { Prng } from './prng.ts';
import { type Step, steps } from './steps.ts';

export interface Row {
  readonly id: string;
  readonly cost: number;
}

/** What a partner does: one booking, and how it is sent again. */
export interface BookingPlan {
  readonly accountId: string;
  readonly key: string;
  readonly mode: 'partial' | 'all-or-nothing' | undefined;
  readonly rows: readonly Row[];
  readonly submitAtMs: number;
  /** How many answers other than 202 the partner puts up with. */
  readonly patience: number;
  /** After the 202: how much later the same is sent again, and whether with the same rows. */
  readonly repeats: readonly { readonly afterMs: number; readonly isSame: boolean }[];
  /** True where the key was used once, more than 90 days ago. */
  readonly isReuse: boolean;
  /** How often, every second after its 202, the partner asks for its status. */
  readonly questions: number;
}

export interface PolicyChange {
  readonly accountId: string;
  readonly atMs: number;
  readonly overrides: Partial<Policy>;
}

/** A message that nobody can read: where, in whose group, when. */
export interface Poison {
  readonly queue: 'bookings' | 'pacing';
  readonly accountId: string;
  readonly atMs: number;
}

/** Everything that is decided about a run before it begins. */
export interface Scenario {
  readonly startMs: number;
  /** When faults happen: while bookings come in, and now and then. */
  readonly storms: readonly Storm[];
  readonly accounts: readonly string[];
  readonly defaultPolicy: Policy;
  readonly policyChanges: readonly PolicyChange[];
  readonly bookings: readonly BookingPlan[];
  readonly faults: FaultRates;
  readonly workers: number;
  readonly intakes: number;
  /** Clocks go wrong by up to this much, each process by its own. */
  readonly maxSkewMs: number;
  readonly visibilityMs: number;
  readonly maxReceiveCount: number;
  readonly killsAtDeadline: boolean;
  readonly maxPauseMs: number;
  readonly redriveAfterMs: number;
  readonly maxTtlDelayMs: number;
  /** Chances per batch. */
  readonly twoWorkers: number;
  readonly repeatInBatch: number;
  readonly deleteLost: number;
  /** The next batch is worked off by a cold process. */
  readonly recycled: number;
  /** Chance per message sent that it is on the queue twice. */
  readonly sentTwice: number;
  /** When messages that nobody can read are sent, and to whose group. */
  readonly poison: readonly Poison[];
}

export const secondMs = 1000;
export const minuteMs = 60_000;
export const hourMs = 3_600_000;
export const dayMs = 86_400_000;

/** Local midnights, days on which clocks change among them: at midnight itself, by half an hour, over a whole day. */
const midnights: readonly [{ zone: string; atMs: number }, ...{ zone: string; atMs: number }[]] = [
  { zone: 'UTC', atMs: Date.parse('2026-11-30T00:00:00Z') },
  { zone: 'Asia/Shanghai', atMs: Date.parse('2026-11-29T16:00:00Z') },
  { zone: 'Europe/Berlin', atMs: Date.parse('2026-03-28T23:00:00Z') },
  { zone: 'Europe/Berlin', atMs: Date.parse('2026-10-25T23:00:00Z') },
  { zone: 'America/New_York', atMs: Date.parse('2026-11-02T05:00:00Z') },
  { zone: 'Africa/Cairo', atMs: Date.parse('2026-04-23T22:00:00Z') },
  { zone: 'America/Santiago', atMs: Date.parse('2026-09-06T04:00:00Z') },
  { zone: 'Australia/Lord_Howe', atMs: Date.parse('2026-10-03T13:30:00Z') },
  { zone: 'Pacific/Kiritimati', atMs: Date.parse('2026-06-30T10:00:00Z') },
];

/** Draws a scenario without a theme. Each run turns on some faults and leaves others out: together they would hide each other. */
export function drawFreely(prng: Prng): Scenario {
  const midnight = prng.pick(midnights);
  const span = prng.pick(['minutes', 'minutes', 'minutes', 'a day', 'weeks', 'months'] as const);
  const spanMs = {
    minutes: prng.int(1, 20) * minuteMs,
    'a day': prng.int(2, 30) * hourMs,
    weeks: prng.int(5, 20) * dayMs,
    months: prng.int(1, 4) * hourMs,
  }[span];
  const startMs = midnight.atMs - Math.floor(spanMs * prng.random()) - prng.int(0, minuteMs);
  const accounts = ['acme', '__proto__', 'b|2@x.example', 'd'].slice(0, prng.int(1, 4));
  const first = drawBookings(prng, { accounts, startMs, spanMs, span });
  const bookings = span === 'months' ? [...first, ...first.flatMap((plan) => drawReuse(prng, plan))] : first;
  const rates = drawRates(prng, { isLong: span !== 'minutes' });
  return {
    startMs,
    storms: [],
    accounts,
    defaultPolicy: { ...builtInPolicy, dailyLimit: 30, refillPerSecond: 1, burst: 5 },
    policyChanges: drawPolicies(prng, { accounts, startMs, spanMs, zone: midnight.zone, bookings }),
    bookings,
    faults: rates,
    workers: prng.int(1, 3),
    intakes: prng.int(1, 2),
    maxSkewMs: prng.pick([0, 0, 1000, 5000]),
    visibilityMs: prng.pick([5, 20, 45, 180]) * secondMs,
    maxReceiveCount: prng.pick([2, 4, 10]),
    killsAtDeadline: prng.chance(0.5),
    maxPauseMs: prng.pick([5, 60, 400]) * secondMs,
    redriveAfterMs: prng.pick([minuteMs, hourMs, 2 * dayMs, 13 * dayMs]),
    maxTtlDelayMs: prng.pick([0, 3 * dayMs, 45 * dayMs]),
    twoWorkers: prng.pick([0, 0, 0.1, 0.5]),
    repeatInBatch: prng.pick([0, 0, 0.1, 0.5]),
    deleteLost: prng.pick([0, 0, 0.1, 0.4]),
    recycled: prng.pick([0.05, 0.05, 0.5, 1]),
    sentTwice: prng.pick([0, 0, 0.1, 0.5]),
    poison: prng.chance(0.2) ? drawPoison(prng, { accounts, startMs, spanMs }) : [],
  };
}

function drawRates(prng: Prng, { isLong }: { isLong: boolean }): FaultRates {
  // A pacing message that is sent twice goes on twice, hop after hop: a day of many faults would drown the run in them.
  const level = isLong ? prng.pick([0, 0.005, 0.01]) : prng.pick([0, 0.01, 0.03, 0.08]);
  const rates = new Map<FaultKind, number>();
  for (const kind of faultKinds) if (level > 0 && prng.chance(0.5)) rates.set(kind, level * (0.3 + prng.random()));
  const focused = isLong ? steps.filter((step) => !step.endsWith('to pacing') && !step.endsWith('put back')) : steps;
  const focuses = Array.from({ length: prng.pick([0, 1, 1, 2]) }, () => drawFocus(prng, focused));
  return { rates, focuses };
}

export function drawFocus(prng: Prng, among: readonly Step[]): Focus {
  const step = prng.pickFrom(among) ?? 'worker: write account';
  return { step, kind: prng.pick(faultKinds), rate: prng.pick([0.2, 0.6, 0.97]) };
}

function drawBookings(
  prng: Prng,
  { accounts, startMs, spanMs, span }: { accounts: readonly string[]; startMs: number; spanMs: number; span: string },
): BookingPlan[] {
  const count = prng.chance(0.1) ? prng.int(15, 30) : prng.int(2, 12);
  // Bursts bring several chunks of an account into one batch; the rest is spread over the run.
  const bursts = Array.from({ length: prng.int(1, 3) }, () => startMs + Math.floor(spanMs * prng.random()));
  return Array.from({ length: count }, (_, i): BookingPlan => {
    const burst = prng.pickFrom(bursts) ?? startMs;
    const submitAtMs = prng.chance(0.6)
      ? burst + prng.int(0, prng.pick([100, 3000, 60_000]))
      : startMs + Math.floor(spanMs * prng.random());
    const repeatLatestMs = span === 'minutes' ? 10 * minuteMs : Math.min(spanMs * 2, 50 * dayMs);
    return {
      accountId: prng.pickFrom(accounts) ?? 'acme',
      key: `key-${i}`,
      ...drawRows(prng),
      submitAtMs,
      patience: prng.chance(0.1) ? prng.int(0, 2) : 1000,
      repeats: prng.chance(0.25) ? [{ afterMs: prng.int(0, repeatLatestMs), isSame: prng.chance(0.7) }] : [],
      isReuse: false,
      questions: prng.pick([0, 0, 1, 3]),
    };
  });
}

export function drawRows(prng: Prng): Pick<BookingPlan, 'mode' | 'rows'> {
  const mode = prng.pick(['partial', 'partial', undefined, 'all-or-nothing'] as const);
  const count = prng.chance(0.04) && mode !== 'all-or-nothing' ? prng.int(100, 320) : prng.int(1, 7);
  const maxCost = prng.pick([1, 3, 12, 60]);
  return { mode, rows: Array.from({ length: count }, (_, row) => ({ id: `r${row}`, cost: prng.int(1, maxCost) })) };
}

/** The same key again once its header is gone, which makes it a new booking under the same id. */
function drawReuse(prng: Prng, plan: BookingPlan): BookingPlan[] {
  if (prng.chance(0.3)) return [];
  const isSameContent = prng.chance(0.5);
  return [
    {
      ...plan,
      ...(isSameContent ? {} : drawRows(prng)),
      submitAtMs: plan.submitAtMs + prng.int(91, 96) * dayMs,
      patience: 1000,
      repeats: [],
      isReuse: true,
    },
  ];
}

function drawPolicies(
  prng: Prng,
  of: { accounts: readonly string[]; startMs: number; spanMs: number; zone: string; bookings: readonly BookingPlan[] },
): PolicyChange[] {
  return of.accounts.flatMap((accountId) => {
    if (prng.chance(0.15)) return [];
    const asked = of.bookings
      .filter((booking) => booking.accountId === accountId)
      .reduce((sum, { rows }) => sum + rows.reduce((cost, row) => cost + row.cost, 0), 0);
    // Tight limits reject, and so can hide that something was counted twice; slack ones show it.
    const limitOf = (): number => Math.ceil(asked * prng.pick([0, 0.3, 0.6, 1, 5, 20])) + prng.int(0, 3);
    const initial: Partial<Policy> = {
      dailyLimit: Math.min(8000, limitOf()),
      refillPerSecond: prng.pick([0.1, 0.3, 1, 7, 100]),
      burst: prng.pick([1, 5, 20]),
      timezone: prng.chance(0.8) ? of.zone : 'UTC',
      mode: prng.chance(0.85) ? 'enforce' : 'observe',
      thresholds: prng.pick([[0.8, 1], [0.5], []]),
    };
    const changes: PolicyChange[] = [{ accountId, atMs: of.startMs - dayMs, overrides: initial }];
    for (let i = prng.pick([0, 0, 1, 2, 4]); i > 0; i--) {
      const changed: Partial<Policy> = prng.pick([
        { dailyLimit: Math.min(8000, limitOf()) },
        { dailyLimit: Math.min(8000, limitOf()) },
        { refillPerSecond: prng.pick([0.1, 1, 100]) },
        { burst: prng.pick([1, 3, 30]) },
        { mode: prng.pick(['enforce', 'observe'] as const) },
        { timezone: prng.pick(midnights).zone },
      ]);
      changes.push({ accountId, atMs: of.startMs + Math.floor(of.spanMs * prng.random()), overrides: changed });
    }
    return changes;
  });
}

function drawPoison(
  prng: Prng,
  { accounts, startMs, spanMs }: { accounts: readonly string[]; startMs: number; spanMs: number },
): Scenario['poison'] {
  return Array.from({ length: prng.int(1, 3) }, () => ({
    queue: prng.pick(['bookings', 'pacing'] as const),
    accountId: prng.pickFrom(accounts) ?? 'acme',
    atMs: startMs + Math.floor(spanMs * prng.random()),
  }));
}
