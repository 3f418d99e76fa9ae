import { workQueue } from '@usher/contracts';
import { detailed } from './details.ts';
import type { FaultRates, Focus } from './faults.ts';
import { withPaceTheme } from './pace-themes.ts';
import type { Prng } from './prng.ts';
import { type BookingPlan, drawFocus, drawFreely, drawRows, type Scenario } from './scenario.ts';
import type { Step } from './steps.ts';
import { dayMs, hourMs, minuteMs, secondMs } from './times.ts';

/** The tightness of limits: `tight` rejects much, `slack` nothing, `mixed` as drawn. */
export type Limits = 'mixed' | 'tight' | 'slack';

/** Draws a scenario, some of them with a theme that makes what is rare likely, and chooses the spans of faults. */
export function drawScenario(prng: Prng, limits: Limits = 'mixed'): Scenario {
  const scenario = withLimits(limits, drawThemed(prng));
  const lastMs = Math.max(...scenario.bookings.map(({ submitAtMs }) => submitAtMs));
  const random = Array.from({ length: 3 }, () => prng.int(scenario.startMs, lastMs + dayMs));
  const starts = [...scenario.bookings.map(({ submitAtMs }) => submitAtMs), ...random];
  const short = starts.map((fromMs) => ({ fromMs, toMs: fromMs + prng.int(1, 30) * minuteMs }));
  return { ...scenario, faultSpans: [...scenario.faultSpans, ...short] };
}

/** A tight limit can hide that something was counted twice, for nothing more fits; under a slack one nothing is denied. */
function withLimits(limits: Limits, drawn: Scenario): Scenario {
  if (limits === 'mixed') return drawn;
  const limitOf = (accountId: string): number => {
    if (limits === 'slack') return 8000;
    const own = drawn.bookings.filter((booking) => booking.accountId === accountId);
    return Math.ceil(own.reduce((sum, { rows }) => sum + rows.reduce((cost, row) => cost + row.cost, 0), 0) / 2);
  };
  const first = drawn.accounts.map((accountId) => ({
    accountId,
    atMs: drawn.startMs - hourMs,
    overrides: { dailyLimit: Math.min(8000, limitOf(accountId)) },
  }));
  const later = drawn.policyChanges.map((change) => {
    const { dailyLimit: _, ...overrides } = change.overrides;
    return { ...change, overrides, mistake: 'dailyLimit' in (change.mistake ?? {}) ? {} : (change.mistake ?? {}) };
  });
  return { ...drawn, policyChanges: [...later, ...first] };
}

function drawThemed(prng: Prng): Scenario {
  const theme = prng.pick([
    'none',
    ...Array<'none'>(7).fill('none'),
    'pacing storm',
    'crowded',
    'receipts pile up',
    'far slots',
    'far slots',
    'put-backs lost',
    'unanswered',
    'long life',
    'lost sends',
    'poison',
    'slow readers',
  ] as const);
  const drawn = drawFreely(prng);
  switch (theme) {
    case 'receipts pile up':
      return pileReceiptsUp(prng, drawn);
    case 'far slots':
      return { ...drawn, ...farSlots(prng, drawn) };
    case 'put-backs lost': {
      const kind = prng.pick(['reply lost', 'server error', 'unmentioned', 'applied late'] as const);
      const focuses: Focus[] = [{ step: 'pacer: put back', kind, rate: prng.pick([0.6, 0.97]) }];
      return { ...drawn, ...farSlots(prng, drawn), faults: { rates: new Map(), focuses } };
    }
    case 'unanswered':
      return unanswered(prng, drawn);
    case 'long life':
      return longLife(prng, drawn);
    case 'slow readers':
      return slowReaders(prng, drawn);
    case 'pacing storm':
      return pacingStorm(prng, drawn);
    case 'crowded':
      return crowded(prng, drawn);
    case 'lost sends':
      return { ...drawn, faults: lostSends(prng) };
    case 'poison': {
      const poison = Array.from({ length: 12 }, (_, i) => ({
        queue: i % 2 === 0 ? ('bookings' as const) : ('pacing' as const),
        accountId: 'acme',
        atMs: drawn.startMs + i * 20_000,
      }));
      const steps: readonly Step[] = ['worker: quarantine', 'pacer: quarantine', 'pacer: publish'];
      const focuses = steps.map((step) => drawFocus(prng, [step]));
      return { ...drawn, poison, faults: { ...drawn.faults, focuses } };
    }
    default:
      return withPaceTheme(drawn);
  }
}

/** One account's chunks one after another, so that the next commits while this one is still being decided. */
function drawStream(prng: Prng, { startMs, count, everyMs }: { startMs: number; count: number; everyMs: number }) {
  return Array.from(
    { length: count },
    (_, i): BookingPlan => ({
      accountId: 'acme',
      key: `key-${i}`,
      ...drawRows(prng),
      submitAtMs: startMs + i * everyMs,
      patience: 1000,
      returnsAfterMs: undefined,
      repeats: [],
      isReuse: false,
      questions: 0,
    }),
  );
}

/** Workers that stand still between their reads, while others count the same chunks, record them and prune. */
function slowReaders(prng: Prng, drawn: Scenario): Scenario {
  const bookings = drawStream(prng, {
    startMs: drawn.startMs,
    count: prng.int(12, 20),
    everyMs: prng.int(1, 4) * secondMs,
  });
  const focuses: Focus[] = [
    { step: 'worker: read ledger', kind: 'paused', rate: 0.3 },
    { step: 'worker: read accounts', kind: 'paused', rate: 0.2 },
  ];
  return {
    ...drawn,
    accounts: ['acme'],
    bookings,
    faults: { rates: new Map(), focuses },
    workers: 3,
    visibilityMs: 5 * secondMs,
    maxReceiveCount: 10,
    killsAtDeadline: false,
    maxPauseMs: 18 * secondMs,
    twoWorkers: 0.5,
    recycled: 0.05,
    poison: [],
  };
}

/** Many chunks of one account are counted and not recorded, on cold workers, which then ask about their receipts. */
function pileReceiptsUp(prng: Prng, drawn: Scenario): Scenario {
  const count = prng.int(14, 24);
  const everyMs = prng.int(20, 60) * secondMs;
  const bookings = drawStream(prng, { startMs: drawn.startMs, count, everyMs });
  const [ledger, receipt] = [drawFocus(prng, ['worker: read ledger']), drawFocus(prng, ['worker: complete receipt'])];
  const variant = prng.pick(['unread', 'slow', 'lost'] as const);
  const focuses: Focus[] = [
    { step: 'worker: record', kind: prng.pick(['request lost', 'crash before', 'throttled']), rate: 0.9 },
    {
      unread: { ...ledger, kind: 'partial' as const, rate: 0.97 },
      slow: { ...ledger, kind: 'paused' as const, rate: 0.4 },
      lost: receipt,
    }[variant],
  ];
  return {
    ...drawn,
    accounts: ['acme'],
    bookings,
    faults: { rates: new Map(), focuses },
    visibilityMs: 5 * secondMs,
    maxReceiveCount: 2,
    redriveAfterMs: hourMs,
    recycled: 1,
    ...(variant === 'unread' ? { recycled: 0.5, partialRate: 0.8 } : {}),
    ...(variant === 'slow' ? slowAmongDeadLetters(drawn, bookings) : {}),
  };
}

/** Bookings that were begun and never answered, and partners who come back weeks later. */
function unanswered(prng: Prng, drawn: Scenario): Scenario {
  const bookings = drawn.bookings
    .filter(({ isReuse }) => !isReuse)
    .map((plan) => ({ ...plan, patience: prng.int(0, 1), returnsAfterMs: prng.int(10, 40) * dayMs }));
  const step = prng.pick(['intake: send chunks', 'intake: mark accepted'] as const);
  const focuses: Focus[] = [{ step, kind: prng.pick(['request lost', 'throttled', 'crash before']), rate: 0.97 }];
  return { ...drawn, bookings, faults: { rates: new Map(), focuses } };
}

/** An account that is used for months, now and then: what is past its time goes, and nothing else. */
function longLife(prng: Prng, drawn: Scenario): Scenario {
  const days = Array.from({ length: prng.int(8, 16) }, () => prng.int(0, 80));
  const bookings = drawStream(prng, { startMs: drawn.startMs, count: days.length, everyMs: 0 }).map((plan, i) => ({
    ...plan,
    submitAtMs: plan.submitAtMs + (days[i] ?? 0) * dayMs + prng.int(0, hourMs),
  }));
  return { ...drawn, accounts: ['acme'], bookings };
}

/** A reader finds a chunk absent and stands still; meanwhile its dead letter comes back and others record it. */
function slowAmongDeadLetters({ startMs }: Scenario, bookings: readonly BookingPlan[]): Partial<Scenario> {
  return {
    bookings: bookings.map((plan, i) => ({ ...plan, submitAtMs: startMs + i * 4 * secondMs })),
    redriveAfterMs: 10 * secondMs,
    maxPauseMs: 18 * secondMs,
    killsAtDeadline: false,
    batchSize: 2,
    workers: 3,
  };
}

/** Slots so far away that they go by pacing, and faults there. */
function farSlots(prng: Prng, { startMs, accounts }: Scenario): Partial<Scenario> {
  const overrides = { dailyLimit: 3000, refillPerSecond: 0.1, burst: 5 };
  const policyChanges = accounts.map((accountId) => ({ accountId, atMs: startMs - dayMs, overrides }));
  // A slot above 90 is more than the bucket refills for between two hops.
  const maxCost = prng.pick([90, 300]);
  const bookings = Array.from(
    { length: prng.int(2, 5) },
    (_, i): BookingPlan => ({
      accountId: prng.pickFrom(accounts) ?? 'acme',
      key: `key-${i}`,
      mode: 'partial',
      rows: detailed(
        prng,
        Array.from({ length: prng.int(2, 6) }, (_, row) => ({ id: `r${row}`, cost: prng.int(20, maxCost) })),
      ),
      submitAtMs: startMs + prng.int(0, 10) * minuteMs,
      patience: 1000,
      returnsAfterMs: undefined,
      repeats: [],
      isReuse: false,
      questions: 0,
    }),
  );
  const focused: readonly Step[] = ['worker: to pacing', 'pacer: put back', 'pacer: dispatch', 'worker: dispatch'];
  const focuses = [{ ...drawFocus(prng, focused), rate: 0.2 }];
  return {
    policyChanges,
    bookings,
    faults: { rates: new Map(), focuses },
    poison: [],
  };
}

/**
 * Days of hops: replies, deletes and processes are lost throughout, and one of the pacer's services is away for more than
 * a day. The last row is due hours after all the others, and after the faults.
 */
function pacingStorm(prng: Prng, drawn: Scenario): Scenario {
  const { startMs } = drawn;
  const accounts = drawn.accounts.slice(0, 2);
  const overrides = { mode: 'observe', dailyLimit: 3000, refillPerSecond: 0.1, burst: 5 } as const;
  const costs = [prng.int(20, 300), prng.int(20, 300), 5000, 9000, 9000];
  const bookings = accounts.map(
    (accountId, i): BookingPlan => ({
      accountId,
      key: `key-${i}`,
      mode: 'partial',
      rows: detailed(
        prng,
        costs.map((cost, row) => ({ id: `r${row}`, cost })),
      ),
      submitAtMs: startMs + prng.int(0, 10) * minuteMs,
      patience: 1000,
      returnsAfterMs: undefined,
      repeats: [],
      isReuse: false,
      questions: 0,
    }),
  );
  const away = prng.pick(['pacer: claim hop', 'pacer: dispatch', 'pacer: put back'] as const);
  const outage = { fromMs: startMs + prng.int(1, 8) * hourMs, toMs: startMs + prng.int(34, 38) * hourMs };
  const focuses: Focus[] = [
    { step: away, kind: 'throttled', rate: 1, span: outage },
    { step: 'pacer: put back', kind: 'reply lost', rate: 0.1 },
    { step: 'pacer: put back', kind: 'crash after', rate: 0.03 },
    { step: 'pacer: claim hop', kind: prng.pick(['reply lost', 'applied late', 'crash after']), rate: 0.1 },
    { step: 'pacer: dispatch', kind: prng.pick(['unmentioned', 'crash before', 'reply lost']), rate: 0.2 },
    { step: 'worker: to pacing', kind: 'reply lost', rate: 0.5 },
  ];
  return {
    ...drawn,
    accounts,
    bookings,
    policyChanges: accounts.map((accountId) => ({ accountId, atMs: startMs - dayMs, overrides })),
    faultSpans: [{ fromMs: startMs, toMs: startMs + 48 * hourMs }],
    faults: { rates: new Map(), focuses },
    visibilityMs: workQueue.visibilityTimeoutSeconds * secondMs,
    // Few receives: else a day of them would fill the run.
    maxReceiveCount: 4,
    redriveAfterMs: prng.pick([2 * hourMs, 6 * hourMs]),
    maxSkewMs: 0,
    deleteLost: 0.1,
    poison: [],
  };
}

/** Bookings of several accounts in one batch, some of whose writes meet a conflict: their reply is lost. */
function crowded(prng: Prng, drawn: Scenario): Scenario {
  const accounts = ['acme', 'b', 'c', 'd'];
  const bookings = accounts.flatMap((accountId) =>
    drawStream(prng, { startMs: drawn.startMs, count: 4, everyMs: 2 * secondMs }).map((plan) => ({
      ...plan,
      accountId,
    })),
  );
  const focuses: Focus[] = [{ step: 'worker: write account', kind: 'reply lost', rate: 0.4 }];
  return { ...drawn, accounts, bookings, faults: { rates: new Map(), focuses }, workers: 1, poison: [] };
}

/** The queue takes only some chunks, and the lease is not given up in peace either. */
function lostSends(prng: Prng): FaultRates {
  const kind = prng.pick(['partial', 'unmentioned', 'throttled'] as const);
  const focuses = [
    { step: 'intake: send chunks' as const, kind, rate: 0.9 },
    drawFocus(prng, ['intake: give header up']),
  ];
  return { rates: new Map(), focuses };
}
