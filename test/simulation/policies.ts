import type { Policy } from '@usher/limiter-core/bulk';
import type { Prng } from './prng.ts';
import type { BookingPlan } from './scenario.ts';
import { dayMs, hourMs, midnights, minuteMs } from './times.ts';

/** An operator's write of an account's policy item. */
export interface PolicyChange {
  readonly accountId: string;
  readonly atMs: number;
  readonly overrides: Partial<Policy>;
  /** A field that no policy may have like this, written instead, until a later change mends it. */
  readonly mistake?: Readonly<Record<string, unknown>>;
}

export function drawPolicies(
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
    if (prng.chance(0.1)) {
      // Right after a booking was taken: while a policy cannot be read none is.
      const own = of.bookings.filter((booking) => booking.accountId === accountId);
      const place = prng.random() * own.length;
      const atMs = (own[Math.floor(place)]?.submitAtMs ?? of.startMs) + Math.floor((place % 1) * 400);
      changes.push(...drawMistake(prng, { accountId, atMs, overrides: initial }));
    }
    return changes;
  });
}

/** A policy that cannot be read, and the change that mends it. */
function drawMistake(prng: Prng, { accountId, atMs, overrides }: PolicyChange): PolicyChange[] {
  const mistake = prng.pick<Readonly<Record<string, unknown>>>([
    { dailyLimit: -1 },
    { dailyLimit: 'many' },
    { dailyLimit: 10_000_000_000 },
    { refillPerSecond: 0 },
    { burst: 1.5 },
    { mode: 'off' },
    { timezone: 'Mars/Olympus' },
    { thresholds: [2] },
  ]);
  const mendedAtMs = atMs + prng.pick([minuteMs, 20 * minuteMs, hourMs]);
  return [
    { accountId, atMs, overrides: {}, mistake },
    { accountId, atMs: mendedAtMs, overrides },
  ];
}

const zones = new Set([...Intl.supportedValuesOf('timeZone'), 'UTC']);

/** True where a policy may be decided under: the rules of contracts.md, spelled once more. */
export function isReadable({ dailyLimit, refillPerSecond, burst, timezone, mode, thresholds }: Policy): boolean {
  return (
    Number.isInteger(dailyLimit) &&
    dailyLimit >= 0 &&
    refillPerSecond >= 0.1 &&
    Number.isInteger(burst) &&
    burst >= 1 &&
    burst <= refillPerSecond * 1e9 &&
    dailyLimit <= burst + 86_400 * refillPerSecond &&
    zones.has(timezone) &&
    (mode === 'enforce' || mode === 'observe') &&
    thresholds.every((share, i) => share > (thresholds[i - 1] ?? 0) && share <= 1)
  );
}
