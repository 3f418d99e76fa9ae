import type { Policy } from '@usher/limiter-core/bulk';
import type { PolicyChange } from './policies.ts';
import { Prng } from './prng.ts';
import type { BookingPlan, Scenario } from './scenario.ts';
import { dayMs, hourMs, minuteMs, secondMs } from './times.ts';

/**
 * Of the scenarios without a theme, some in which the pace of an account is put to the test. They are drawn from what is
 * drawn already, so that all others stay as they are.
 */
export function withPaceTheme(drawn: Scenario): Scenario {
  const prng = new Prng(drawn.startMs);
  if (!prng.chance(0.3)) return drawn;
  const theme = prng.pick([changingPace, changingPace, fullBacklog, wrongClock]);
  return { ...drawn, accounts: ['acme'], poison: [], ...theme(prng, drawn) };
}

function bookingOf(i: number, of: Pick<BookingPlan, 'mode' | 'rows' | 'submitAtMs'>): BookingPlan {
  return {
    accountId: 'acme',
    key: `key-${i}`,
    patience: 1000,
    returnsAfterMs: undefined,
    repeats: [],
    isReuse: false,
    questions: 0,
    ...of,
  };
}

/** Small bookings of one account in a row, so that most come upon the backlog of those before. */
function stream(
  prng: Prng,
  { startMs, count, everyMs, maxCost }: Record<'startMs' | 'count' | 'everyMs' | 'maxCost', number>,
) {
  return Array.from({ length: count }, (_, i) =>
    bookingOf(i, {
      mode: prng.pick(['partial', 'partial', 'all-or-nothing']),
      rows: Array.from({ length: prng.int(1, 6) }, (_, row) => ({ id: `r${row}`, cost: prng.int(1, maxCost) })),
      submitAtMs: startMs + i * everyMs + prng.int(0, everyMs),
    }),
  );
}

/** An operator who raises and lowers refill and burst, time and again, while rows wait for their turn. */
function changingPace(prng: Prng, { startMs }: Scenario): Partial<Scenario> {
  const everyMs = prng.pick([200, 3 * secondMs, 30 * secondMs]);
  const count = prng.int(10, 20);
  const first: Partial<Policy> = {
    dailyLimit: 8000,
    refillPerSecond: prng.pick([0.1, 0.3, 3, 50]),
    burst: prng.pick([1, 5, 40]),
    mode: 'enforce',
  };
  const policyChanges: PolicyChange[] = [{ accountId: 'acme', atMs: startMs - dayMs, overrides: first }];
  let { refillPerSecond = 1, burst = 1 } = first;
  for (let i = prng.int(2, 12); i > 0; i--) {
    refillPerSecond = Math.min(1000, Math.max(0.1, refillPerSecond * prng.pick([1.1, 1.1, 4, 30, 1 / 4, 1 / 30])));
    burst = prng.pick([burst, burst, burst + 1, 60, 1]);
    const overrides = prng.pick<Partial<Policy>>([{ refillPerSecond }, { burst }, { refillPerSecond, burst }]);
    policyChanges.push({ accountId: 'acme', atMs: startMs + prng.int(0, count * everyMs), overrides });
  }
  return { policyChanges, bookings: stream(prng, { startMs, count, everyMs, maxCost: prng.pick([3, 20, 100]) }) };
}

/** An observed account that asks for more than its pace hands on in twelve days. */
function fullBacklog(prng: Prng, { startMs }: Scenario): Partial<Scenario> {
  const overrides: Partial<Policy> = {
    dailyLimit: prng.pick([100, 8000]),
    refillPerSecond: 0.1,
    burst: prng.pick([1, 20]),
    mode: 'observe',
  };
  const bookings = Array.from({ length: prng.int(6, 9) }, (_, i) =>
    bookingOf(i, {
      mode: prng.pick(['partial', 'partial', 'all-or-nothing']),
      rows: Array.from({ length: prng.int(1, 4) }, (_, row) => ({
        id: `r${row}`,
        cost: prng.pick([prng.int(1, 300), prng.int(6000, 10_000)]),
      })),
      submitAtMs: startMs + i * prng.pick([secondMs, minuteMs]),
    }),
  );
  return {
    policyChanges: [{ accountId: 'acme', atMs: startMs - dayMs, overrides }],
    bookings,
    faults: { rates: new Map(), focuses: [] },
    deleteLost: 0,
  };
}

/** A worker whose clock is more than a day ahead, for a batch or some. */
function wrongClock(prng: Prng, { startMs }: Scenario): Partial<Scenario> {
  const everyMs = prng.int(2, 40) * secondMs;
  const count = prng.int(8, 16);
  const overrides: Partial<Policy> = {
    dailyLimit: 8000,
    refillPerSecond: prng.pick([0.1, 1, 7]),
    burst: prng.pick([5, 20]),
    mode: 'enforce',
  };
  return {
    policyChanges: [{ accountId: 'acme', atMs: startMs - dayMs, overrides }],
    bookings: stream(prng, { startMs, count, everyMs, maxCost: 12 }),
    wrongClock: { fromMs: startMs + prng.int(0, (count * everyMs) / 2), aheadMs: prng.int(25, 47) * hourMs },
    recycled: 0.5,
    workers: prng.int(1, 3),
    visibilityMs: 20 * secondMs,
  };
}
