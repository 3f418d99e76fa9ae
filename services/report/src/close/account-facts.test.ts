import { bookingIdOf, bookingKeyFor } from '@usher/contracts';
import { builtInPolicy, type MemoryAccountStore, type Outcome, windowOn } from '@usher/limiter-core/bulk';
import { beforeEach, expect, test } from 'vitest';
import type { AccountDayFacts } from '../model/facts.ts';
import type { QuarantineFact } from '../store/event-facts.ts';
import { MemoryDays } from '../store/memory-days.ts';
import { date, noon, TestReport } from '../testing/test-report.ts';
import type { AccountDay } from './account-days.ts';
import { factsOf } from './account-facts.ts';

const window = windowOn(date, 'UTC');
const bookingId = bookingIdOf(bookingKeyFor('acme', 'key-1'), Date.parse(noon));
const booking = { accountId: 'acme', bookingId, acceptedAt: noon, ...window, rows: 1, chunks: 1 };
const outcome: Outcome = {
  digest: '0'.repeat(32),
  date,
  reasons: [null],
  usedBefore: 0,
  grantedCost: 3,
  rejectedCost: 0,
  limit: 1_000,
  limitBefore: null,
  debtMicros: 0,
  refillPerSecond: 10,
  burst: 20,
  policyMode: 'enforce',
  thresholds: [],
  settledAtMs: Date.parse(noon),
};
const observing: Outcome = { ...outcome, policyMode: 'observe', reasons: ['daily_quota_exceeded'], grantedCost: 5 };

let world: TestReport;
beforeEach(() => {
  world = new TestReport();
});

async function factsNow(day: Partial<AccountDay> = {}, quarantined: readonly QuarantineFact[] = []) {
  async function* days(): AsyncGenerator<AccountDay> {
    yield { accountId: 'acme', timezone: 'UTC', window, bookings: [], ...day };
  }
  const found: AccountDayFacts[] = [];
  const around = { date, quarantined: new Map([['acme', quarantined]]) };
  for await (const facts of factsOf(world.ports(), days(), around)) found.push(facts);
  const [facts] = found;
  if (facts === undefined || found.length > 1) throw new Error('no facts of one account');
  return facts;
}

async function write(used: number, bucket?: Parameters<MemoryAccountStore['writeAccount']>[0]['bucket']) {
  const stored = (await world.accounts.readAccounts(['acme'])).get('acme');
  await world.accounts.writeAccount({
    accountId: 'acme',
    seenRev: stored?.state.rev ?? null,
    enforced: false,
    windows: new Map([[date, { granted: used, rejected: 0, over: 0, limit: 1_000 }]]),
    history: undefined,
    endedDates: [],
    bucket,
    receipt: new Map(),
    prunedReceipts: [],
  });
}

test('an account that was never settled has a counter of nothing, as long as counters of the date are kept', async () => {
  expect((await factsNow()).counter).toMatchObject({ used: 0, limit: null });
  world.clock.advance(40 * 86_400_000);
  expect((await factsNow()).counter).toBeUndefined();
});

test('the counter is read before events and ledger, and once more after them', async () => {
  class MovingDays extends MemoryDays {
    override async ledger(of: string) {
      await write(4);
      return super.ledger(of);
    }
  }
  await write(3);
  Object.assign(world, { days: new MovingDays({ accounts: world.accounts, defaultPolicy: builtInPolicy }) });
  const { counter, counterAfter } = await factsNow({ bookings: [booking] });
  expect([counter?.used, counterAfter?.used]).toEqual([3, 7]);
});

test('what observe mode granted of a chunk is summed of its rows; without them nobody knows, and no ledger is told', async () => {
  const entry = { bookingId, chunkIndex: 0, accountId: 'acme', outcome: observing };
  await world.accounts.writeLedger([{ ...entry, rows: [{ id: 'r', cost: 5 }] }]);
  expect((await factsNow({ bookings: [booking] })).ledger).toMatchObject([{ grantedCost: 5, overCost: 5 }]);
  world = new TestReport();
  await world.accounts.writeLedger([entry]);
  expect((await factsNow({ bookings: [booking] })).ledger).toBeUndefined();
});

test('a ledger of which an entry cannot be read is none, and one of another date is not of this one', async () => {
  class OddDays extends MemoryDays {
    override async ledger(): Promise<undefined> {
      return undefined;
    }
  }
  const rows = [{ id: 'r', cost: 3 }];
  await world.accounts.writeLedger([
    { bookingId, chunkIndex: 0, accountId: 'acme', outcome, rows },
    { bookingId, chunkIndex: 1, accountId: 'acme', outcome: { ...outcome, date: '2026-11-30' }, rows },
  ]);
  expect((await factsNow({ bookings: [booking] })).ledger).toMatchObject([{ chunkIndex: 0 }]);
  Object.assign(world, { days: new OddDays({ accounts: world.accounts, defaultPolicy: builtInPolicy }) });
  expect((await factsNow({ bookings: [booking] })).ledger).toBeUndefined();
});

test('the backlog is what was not due when it was looked at, and clears when its last row is due', async () => {
  const nowMs = world.clock();
  // The bucket is full again in 60 seconds; a burst of 20 takes 2 of them, so that the last row is due in 58.
  await write(3, { tatMicros: (nowMs + 60_000) * 1_000, refillPerSecond: 10, burst: 20, asOfMs: nowMs });
  const lookedAt = noon;
  expect((await factsNow()).backlog).toEqual({ cost: 580, clearsAt: '2026-11-29T12:00:58.000Z', lookedAt });
  world.clock.advance(58_000);
  expect((await factsNow()).backlog).toEqual({ cost: 0, clearsAt: null, lookedAt: '2026-11-29T12:00:58.000Z' });
});

test('a message without a booking is of the day in which it was put aside, from its first instant to before its end', async () => {
  const at = (instant: string): QuarantineFact => ({
    accountId: 'acme',
    occurredAtMs: Date.parse(instant),
    event: { metadata: { id: instant }, data: { reason: 'invalid_json' } },
    delivery: { id: 'd', isReplay: false, receivedAtMs: Date.parse(instant) },
  });
  const last = '2026-11-29T23:59:59.999Z';
  const facts = ['2026-11-28T23:59:59.999Z', window.startsAt, last, window.resetsAt].map(at);
  const { quarantineEvents } = await factsNow({}, facts);
  expect(quarantineEvents.map(({ metadata }) => metadata.id)).toEqual([window.startsAt, last]);
});

test('an account whose policy cannot be read has its day in the zone of the default', async () => {
  await world.closeAt('2026-11-29T12:30:00.000Z');
  world.days.setPolicy('odd', { timezone: 'Mars/Olympus' });
  world.restart({ defaultPolicy: { ...builtInPolicy, timezone: 'Asia/Tokyo' } });
  expect(await world.closeAt('2026-11-29T15:15:00.000Z')).toEqual([`${date} Asia/Tokyo`, `${date} all`]);
});
