import { type Books, finish } from '../support/books.ts';
import { acceptedBy } from '../support/case.ts';
import type { Accepted } from '../support/first-fit.ts';
import { type Bulk, startWorld, type World } from '../support/world.ts';

/** Submits bookings through an intake in which nothing goes wrong, one after another. */
export async function submitAll(world: World, bookings: readonly Bulk[]): Promise<Accepted[]> {
  const intake = world.intake();
  const accepted: Accepted[] = [];
  for (const booking of bookings) {
    accepted.push({ ...booking, bookingId: (await acceptedBy(await intake.submit(booking))).bookingId });
  }
  return accepted;
}

/** The costs of so many rows, each 1. */
export function ones(rows: number): number[] {
  return Array.from({ length: rows }, () => 1);
}

export const limits = { ada: 250, bob: 1000 };

/**
 * The scenario of most tests: a booking of ada's in six chunks, of which two are granted, one in part and three not at
 * all, and one of bob's, all in one batch. It makes 16 events and some 25 dispatches, so that calls of at most ten
 * entries are several of each kind.
 */
export const scenario: readonly Bulk[] = [
  { accountId: 'ada', key: 'wedding', costs: ones(600) },
  { accountId: 'bob', key: 'fair', costs: [3, 1, 2] },
];

/** A world with that scenario in the queue, where other bookings may have been settled before. */
export async function startScenario(earlier: readonly Bulk[] = []): Promise<{ world: World; bookings: Accepted[] }> {
  const world = await startWorld({ ada: { dailyLimit: limits.ada } });
  const settled = await submitAll(world, earlier);
  if (settled.length > 0) await world.worker().settle();
  return { world, bookings: [...settled, ...(await submitAll(world, scenario))] };
}

/** An account of the scenario, with its number of messages there and what was settled of it before. */
export interface AccountKind {
  readonly kind: string;
  readonly accountId: 'ada' | 'bob';
  readonly messages: number;
  readonly earlier: readonly Bulk[];
}

/**
 * The one write's condition differs by whether the account has an item; and where the write fills the limit, the quota
 * clause refuses a second one as well, so that `rev` alone is at work only where there is room left.
 */
export const accountKinds: readonly AccountKind[] = [
  { kind: 'a new account', accountId: 'bob', messages: 1, earlier: [] },
  {
    kind: 'an account that was written before',
    accountId: 'bob',
    messages: 1,
    earlier: [{ accountId: 'bob', key: 'earlier', costs: [7] }],
  },
  { kind: 'an account whose limit it fills', accountId: 'ada', messages: 6, earlier: [] },
];

let original: Promise<Books> | undefined;

/** The result of that scenario without a fault: the original decisions, events and dispatches. */
export function undisturbed(): Promise<Books> {
  original ??= startScenario().then(({ world }) => finish(world));
  return original;
}
