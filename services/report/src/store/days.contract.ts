import { bookingIdOf, bookingKeyFor, cutText, dayShards } from '@usher/contracts';
import { type AccountStore, type Outcome, windowAt } from '@usher/limiter-core/bulk';
import { beforeEach, describe, expect, test } from 'vitest';
import type { DayBooking, Days } from './days.ts';

/** A header as intake writes it, as far as days tell of it. */
export interface ToldHeader {
  readonly accountId: string;
  readonly bookingId: string;
  readonly acceptedAt: string;
  readonly window: ReturnType<typeof windowAt>;
  readonly cut: string;
  readonly total: number;
  readonly state: 'accepting' | 'accepted';
}

/** A reader to hold to the contract, and the writers of what it reads; all empty. */
export interface DaysUnderTest {
  readonly days: Days;
  readonly store: Pick<AccountStore, 'writeAccount' | 'writeLedger'>;
  putHeader(header: ToldHeader): Promise<void>;
  putPolicy(accountId: string, overrides: unknown): Promise<void>;
}

const noonMs = Date.parse('2026-11-29T12:00:00.000Z');

function header(accountId: string, key: string, more: Partial<ToldHeader> = {}): ToldHeader {
  const bookingId = bookingIdOf(bookingKeyFor(accountId, key), noonMs);
  return {
    accountId,
    bookingId,
    acceptedAt: '2026-11-29T12:00:00.000Z',
    window: windowAt(noonMs, 'Europe/Berlin'),
    cut: cutText([100, 100, 30]),
    total: 230,
    state: 'accepted',
    ...more,
  };
}

const outcome: Outcome = {
  digest: '0123456789abcdef'.repeat(2),
  date: '2026-11-29',
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
  settledAtMs: noonMs,
};

async function all<T>(read: (shard: number) => AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for (let shard = 0; shard < dayShards; shard++) for await (const one of read(shard)) found.push(one);
  return found;
}

/**
 * Registers the tests that every {@link Days} must pass (vitest). The policy of accounts without one has the limit 1000.
 *
 * @param start makes empty stores; called before each test
 */
export function daysContract(name: string, start: () => Promise<DaysUnderTest>): void {
  describe(`${name} keeps the contract of days`, () => {
    let days: Days;
    let under: DaysUnderTest;
    beforeEach(async () => {
      under = await start();
      days = under.days;
    });

    test('the bookings of a date are found, each with its window, rows and chunks', async () => {
      const told = [header('acme', 'one'), header('acme', 'two'), header('other', 'one')];
      const tomorrow = header('acme', 'three', { window: windowAt(noonMs + 86_400_000, 'UTC') });
      for (const one of [...told, tomorrow]) await under.putHeader(one);
      const found = await all((shard) => days.bookings('2026-11-29', shard));
      const expected = told.map(
        ({ accountId, bookingId, acceptedAt, window: { timezone, startsAt, resetsAt } }): DayBooking => ({
          accountId,
          bookingId,
          acceptedAt,
          timezone,
          startsAt,
          resetsAt,
          rows: 230,
          chunks: 3,
        }),
      );
      expect(found.map(onlyTold).toSorted(byBooking)).toEqual(expected.toSorted(byBooking));
    });

    test('headers are read by the ids of bookings, those that are still being accepted told apart', async () => {
      const [accepted, accepting] = [header('acme', 'one'), header('other', 'two', { state: 'accepting' })];
      for (const one of [accepted, accepting]) await under.putHeader(one);
      const unknown = header('acme', 'none').bookingId;
      const found = await days.headers([accepted.bookingId, accepting.bookingId, unknown]);
      const { window, cut: _, total: rows, ...told } = accepting;
      expect([...found.keys()]).toEqual([accepted.bookingId, accepting.bookingId]);
      expect(found.get(accepted.bookingId)).toMatchObject({ accountId: 'acme', state: 'accepted' });
      expect(found.get(accepting.bookingId)).toEqual({ ...told, ...window, rows, chunks: 3 });
      const repeated = bookingIdOf(bookingKeyFor('acme', 'one'), noonMs + 1);
      expect(await days.headers([repeated])).toEqual(new Map());
      expect(await days.headers([])).toEqual(new Map());
    });

    test('a policy is found without any booking, and holds for its account', async () => {
      await under.putPolicy('quiet', { dailyLimit: 7, timezone: 'Asia/Tokyo' });
      const policies: { accountId: string; overrides: unknown }[] = [];
      for await (const policy of days.policies()) policies.push(policy);
      expect(policies).toEqual([{ accountId: 'quiet', overrides: { dailyLimit: 7, timezone: 'Asia/Tokyo' } }]);
      const looks = await days.accounts(['quiet', 'stranger']);
      expect(looks.get('quiet')?.policy).toMatchObject({ dailyLimit: 7, timezone: 'Asia/Tokyo' });
      expect(looks.get('stranger')?.policy).toMatchObject({ dailyLimit: 1_000 });
    });

    test('a policy that cannot be read holds for nobody, and hides no counter', async () => {
      await under.putPolicy('odd', { dailyLimit: -1 });
      await settle('odd');
      const look = (await days.accounts(['odd'])).get('odd');
      expect(look?.policy).toBeUndefined();
      expect(look?.state.usage.get('2026-11-29')).toMatchObject({ used: 3 });
    });

    test('counters and the ledger are read as they were written', async () => {
      const { bookingId } = header('acme', 'one');
      await settle('acme');
      const entries = [0, 2].map((chunkIndex) => ({
        bookingId,
        chunkIndex,
        accountId: 'acme',
        outcome,
        rows: [{ id: 'r', cost: 3 }],
      }));
      await under.store.writeLedger(entries);
      expect((await days.accounts(['acme'])).get('acme')?.state.usage.get('2026-11-29')).toEqual({
        used: 3,
        rejected: 1,
        over: 0,
        limit: 1_000,
      });
      expect(await days.ledger(bookingId)).toEqual(entries);
      expect(await days.ledger(header('acme', 'two').bookingId)).toEqual([]);
    });

    async function settle(accountId: string): Promise<void> {
      const written = await under.store.writeAccount({
        accountId,
        seenRev: null,
        enforced: false,
        windows: new Map([['2026-11-29', { granted: 3, rejected: 1, over: 0, limit: 1_000 }]]),
        history: undefined,
        endedDates: [],
        bucket: undefined,
        receipt: new Map(),
        prunedReceipts: [],
      });
      expect(written).toBe('written');
    }
  });
}

function onlyTold(booking: DayBooking): DayBooking {
  const { accountId, bookingId, acceptedAt, timezone, startsAt, resetsAt, rows, chunks } = booking;
  return { accountId, bookingId, acceptedAt, timezone, startsAt, resetsAt, rows, chunks };
}

function byBooking(a: DayBooking, b: DayBooking): number {
  return `${a.accountId}#${a.bookingId}` < `${b.accountId}#${b.bookingId}` ? -1 : 1;
}
