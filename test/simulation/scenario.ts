import { workerBatchSize, workQueue } from '@usher/contracts';
import { defaultSubmissionRate } from '@usher/intake';
import { builtInPolicy, type Policy, type Rate } from '@usher/limiter-core/bulk';
import { longestCallMs } from '@usher/worker';
import { detailed } from './details.ts';
import { type FaultKind, type FaultRates, type FaultSpan, type Focus, faultKinds } from './faults.ts';
import { drawPolicies, type PolicyChange } from './policies.ts';
import type { Prng } from './prng.ts';
import { answerBytes } from './sizes.ts';
import { type Step, steps } from './steps.ts';
import { dayMs, hourMs, midnights, minuteMs, secondMs } from './times.ts';

export interface Row {
  readonly id: string;
  readonly cost: number;
  readonly details?: object;
}

/** A partner's plan: one booking, and how it is sent again. */
export interface BookingPlan {
  readonly accountId: string;
  readonly key: string;
  readonly mode: 'partial' | 'all-or-nothing' | undefined;
  readonly rows: readonly Row[];
  readonly submitAtMs: number;
  /** The most answers other than 202 that the partner puts up with. */
  readonly patience: number;
  /** The pause after which a partner out of patience tries again; undefined where it has given up. */
  readonly returnsAfterMs: number | undefined;
  /** Repeats after the 202, each after a pause, with the same rows or with others. */
  readonly repeats: readonly { readonly afterMs: number; readonly isSame: boolean }[];
  /** True where the key was used once, more than 90 days ago. */
  readonly isReuse: boolean;
  /** The partner's questions for its status, one a second after its 202. */
  readonly questions: number;
}

/** The settings of one deployed version; two run side by side while a new one is rolled out. */
export interface Version {
  readonly defaultPolicy: Policy;
  readonly deadlineMarginMs: number;
}

/** A message that nobody can read: its queue, group and instant. */
export interface Poison {
  readonly queue: 'bookings' | 'pacing';
  readonly accountId: string;
  readonly atMs: number;
}

/** A scenario: everything that is decided about a run before it begins. */
export interface Scenario {
  readonly startMs: number;
  /** The spans in which faults happen: while bookings come in, and now and then. */
  readonly faultSpans: readonly FaultSpan[];
  readonly accounts: readonly string[];
  /** The versions deployed at once: each process is of one of them. */
  readonly versions: readonly [Version, ...Version[]];
  readonly submission: Rate;
  /** Bytes of items that an answer of the table holds at most. */
  readonly queryBytes: number;
  readonly batchGetBytes: number;
  readonly policyChanges: readonly PolicyChange[];
  readonly bookings: readonly BookingPlan[];
  readonly faults: FaultRates;
  readonly workers: number;
  readonly intakes: number;
  /** The largest error of a process's clock; each process has its own. */
  readonly maxSkewMs: number;
  /** The first worker started after an instant has a clock that is so far ahead, if any. */
  readonly wrongClock?: { readonly fromMs: number; readonly aheadMs: number };
  readonly visibilityMs: number;
  readonly maxReceiveCount: number;
  readonly killsAtDeadline: boolean;
  readonly maxPauseMs: number;
  readonly redriveAfterMs: number;
  readonly maxTtlDelayMs: number;
  /** The rate, per entry of a batch, at which a partial fault meets it. */
  readonly partialRate: number;
  /** The most messages of a batch; an event source hands over fewer as it likes. */
  readonly batchSize: number;
  /** Rates per batch: two workers at once, a message twice in it, a delete that is lost. */
  readonly twoWorkers: number;
  readonly repeatInBatch: number;
  readonly deleteLost: number;
  /** The rate, per batch, at which a cold process works off the next one. */
  readonly recycled: number;
  /** The rate, per message sent, at which it is on the queue twice. */
  readonly sentTwice: number;
  /** Messages that nobody can read: their instants and groups. */
  readonly poison: readonly Poison[];
}

/**
 * Draws a scenario without a theme. Each run turns on some faults and leaves others out: together they would hide each
 * other.
 */
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
    faultSpans: [],
    accounts,
    versions: drawVersions(prng),
    submission: prng.pick([defaultSubmissionRate, { burst: 20, refillPerSecond: 1 }]),
    queryBytes: prng.pick([answerBytes.query, 3000, 200]),
    batchGetBytes: prng.pick([answerBytes.batchGet, answerBytes.batchGet, 8192]),
    policyChanges: drawPolicies(prng, { accounts, startMs, spanMs, zone: midnight.zone, bookings }),
    bookings,
    faults: rates,
    batchSize: workerBatchSize,
    workers: prng.int(1, 3),
    intakes: prng.int(1, 2),
    maxSkewMs: prng.pick([0, 0, 1000, 5000]),
    visibilityMs: prng.pick([5, 20, 45, workQueue.visibilityTimeoutSeconds]) * secondMs,
    maxReceiveCount: prng.pick([2, 4, workQueue.maxReceiveCount]),
    killsAtDeadline: prng.chance(0.5),
    maxPauseMs: prng.pick([5, 60, 400]) * secondMs,
    redriveAfterMs: prng.pick([minuteMs, hourMs, 2 * dayMs, 13 * dayMs]),
    maxTtlDelayMs: prng.pick([0, 3 * dayMs, 45 * dayMs]),
    partialRate: prng.pick([0.5, 0.5, 0.9]),
    twoWorkers: prng.pick([0, 0, 0.1, 0.5]),
    repeatInBatch: prng.pick([0, 0, 0.1, 0.5]),
    deleteLost: prng.pick([0, 0, 0.1, 0.4]),
    recycled: prng.pick([0.05, 0.05, 0.5, 1]),
    sentTwice: prng.pick([0, 0, 0.1, 0.5]),
    poison: prng.chance(0.2) ? drawPoison(prng, { accounts, startMs, spanMs }) : [],
  };
}

/** One version, or two whose defaults differ: what one process counts by, the next may not know. */
function drawVersions(prng: Prng): [Version, ...Version[]] {
  const defaultPolicy = { ...builtInPolicy, dailyLimit: 30, refillPerSecond: 1, burst: 5 };
  const version: Version = { defaultPolicy, deadlineMarginMs: longestCallMs };
  if (prng.chance(0.7)) return [version];
  const other = { ...defaultPolicy, dailyLimit: prng.pick([10, 60]), refillPerSecond: prng.pick([1, 3]) };
  return [version, { defaultPolicy: other, deadlineMarginMs: prng.pick([1000, 2 * longestCallMs]) }];
}

function drawRates(prng: Prng, { isLong }: { isLong: boolean }): FaultRates {
  // Each hop of a long run can fail, so few faults a call are many a run.
  const level = isLong ? prng.pick([0, 0.005, 0.01]) : prng.pick([0, 0.01, 0.03, 0.08]);
  const rates = new Map<FaultKind, number>();
  for (const kind of faultKinds) if (level > 0 && prng.chance(0.5)) rates.set(kind, level * (0.3 + prng.random()));
  const focuses = Array.from({ length: prng.pick([0, 1, 1, 2]) }, () => drawFocus(prng, steps));
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
      ...drawPatience(prng),
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
  const rows = Array.from({ length: count }, (_, row) => ({ id: `r${row}`, cost: prng.int(1, maxCost) }));
  return { mode, rows: detailed(prng, rows) };
}

function drawPatience(prng: Prng): Pick<BookingPlan, 'patience' | 'returnsAfterMs'> {
  if (!prng.chance(0.1)) return { patience: 1000, returnsAfterMs: undefined };
  return { patience: prng.int(0, 2), returnsAfterMs: prng.pick([undefined, hourMs, prng.int(10, 45) * dayMs]) };
}

/** The same key again once its header is gone, which makes it a new booking under the same id. */
function drawReuse(prng: Prng, plan: BookingPlan): BookingPlan[] {
  if (prng.chance(0.3)) return [];
  const isSameContent = prng.chance(0.5);
  // One that may be accepted weeks later keeps its key for as much longer.
  if (plan.returnsAfterMs !== undefined) return [];
  return [
    {
      ...plan,
      ...(isSameContent ? {} : drawRows(prng)),
      submitAtMs: plan.submitAtMs + prng.int(91, 96) * dayMs,
      patience: 1000,
      returnsAfterMs: undefined,
      repeats: [],
      isReuse: true,
    },
  ];
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
