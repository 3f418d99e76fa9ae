import { BookingAccepted, BookingStatus } from '@usher/contracts';
import { describe, expect, it } from 'vitest';
import { finish, hasWork } from '../support/books.ts';
import { startWorld } from '../support/world.ts';
import { checkRun, type RunResult } from './checks.ts';
import { reportsOf } from './reports.ts';

const policy = { dailyLimit: 150, refillPerSecond: 10, burst: 10 };
const account = { accountId: 'ada', policy };

/** Two bookings of 120 rows: the second is granted in part. */
async function honestRun(): Promise<RunResult> {
  const world = await startWorld({ ada: policy });
  const intake = world.intake();
  const submitted = [];
  for (const key of ['first', 'second']) {
    const costs = Array.from({ length: 120 }, () => 1);
    const answer = await intake.submit({ accountId: 'ada', key, costs });
    if (answer === 'crashed') throw new Error('The intake crashed.');
    const { bookingId, window } = BookingAccepted.assert(await answer.json());
    const reservations = costs.map((cost, row) => ({ id: `${key}-${row}`, cost }));
    submitted.push({ accountId: 'ada', idempotencyKey: key, reservations, bookingId, date: window.date });
  }
  const books = await finish(world);
  const statuses = await Promise.all(
    submitted.map(async ({ bookingId }) =>
      BookingStatus.assert(await (await intake.get('ada', `/v1/bookings/${bookingId}`)).json()),
    ),
  );
  const reporter = world.reporter();
  while (await hasWork(reporter.consume()));
  return {
    accounts: [account],
    accepted: submitted,
    evidence: {
      bookings: submitted.map((booking, at) => ({
        ...booking,
        acceptedAt: '',
        resetsAt: '',
        decisions: statuses[at]?.reservations ?? [],
      })),
      counters: books.counters,
      ledger: [...books.ledger.values()],
      events: [...books.events.values()],
      dispatches: [...books.dispatches.values()].map((dispatch) => ({ ...dispatch, receivedAtMs: 0 })),
    },
    seen: new Map(statuses.map((status) => [status.bookingId, status])),
    reports: await reportsOf(world, new Set(submitted.map(({ date }) => date))),
    left: {},
  };
}

let known: Promise<RunResult> | undefined;
const honest = (): Promise<RunResult> => {
  known ??= honestRun();
  return known;
};

type Forge = (honest: RunResult) => Partial<RunResult>;
const forging =
  (forge: (evidence: RunResult['evidence']) => Partial<RunResult['evidence']>): Forge =>
  ({ evidence }) => ({ evidence: { ...evidence, ...forge(evidence) } });

const forgeries: readonly (readonly [string, Forge])[] = [
  ['a booking that is not decided', forging(({ bookings }) => ({ bookings: bookings.slice(1) }))],
  ['a counter that is too high', forging(() => ({ counters: new Map([['ada', { used: 151, rejected: 90 }]]) }))],
  ['a chunk without its ledger', forging(({ ledger }) => ({ ledger: ledger.slice(1) }))],
  ['an event that is missing', forging(({ events }) => ({ events: events.slice(1) }))],
  [
    'a threshold that is not reported',
    forging(({ events }) => ({
      events: events.filter(({ detailType }) => detailType !== 'Quota Threshold Reached'),
    })),
  ],
  ['a dispatch that is missing', forging(({ dispatches }) => ({ dispatches: dispatches.slice(1) }))],
  [
    'rows dispatched under two ids',
    forging(({ dispatches }) => ({
      dispatches: [...dispatches, ...dispatches.slice(0, 1).map((one) => ({ ...one, dispatchId: 'other' }))],
    })),
  ],
  [
    'rows that are due too soon',
    forging(({ bookings }) => ({
      bookings: bookings.map((booking) => ({
        ...booking,
        decisions: booking.decisions.map((row) =>
          row.decision === 'granted' ? { ...row, dispatchAt: '2026-11-29T12:00:00.000Z' } : row,
        ),
      })),
    })),
  ],
  ['bookings decided in another order than accepted', ({ accepted }) => ({ accepted: accepted.toReversed() })],
  [
    'a decision that was another one before',
    ({ seen }) => ({
      seen: new Map([...seen].map(([id, one]) => [id, { ...one, reservations: one.reservations.slice(1) }])),
    }),
  ],
  ['a day without a report', () => ({ reports: [] })],
  [
    'a report that leaves an account out',
    ({ reports }) => ({ reports: reports.map((one) => ({ ...one, accounts: [] })) }),
  ],
  [
    'a report that tells of less than was granted',
    ({ reports }) => ({
      reports: reports.map((one) => ({
        ...one,
        accounts: one.accounts.map((account) => ({ ...account, grantedCost: account.grantedCost - 1 })),
      })),
    }),
  ],
  [
    'a report of a day that is not complete',
    ({ reports }) => ({ reports: reports.map((one) => ({ ...one, state: 'provisional' })) }),
  ],
  ['a dead letter', () => ({ left: { bookingsDead: 1 } })],
];

describe('the checks of a run', () => {
  it('finds nothing where every promise was kept', async () => {
    expect(checkRun(await honest())).toEqual([]);
  });

  it.each(forgeries)('finds %s', async (_, forge) => {
    const result = await honest();
    expect(checkRun({ ...result, ...forge(result) })).not.toEqual([]);
  });
});
