import { bookingIdOf, bookingKeyFor, dayShardOf, dayShards } from '@usher/contracts';
import { windowOn } from '@usher/limiter-core/bulk';
import { beforeEach, describe, expect, test } from 'vitest';
import { usageEvent } from '../testing/facts.ts';
import type { EventFacts, QuarantineFact, UsageFact } from './event-facts.ts';

const date = '2026-11-29';
const window = windowOn(date, 'Europe/Berlin');
const receivedAtMs = Date.parse('2026-11-29T12:00:01.000Z');
const bookingId = bookingIdOf(bookingKeyFor('acme', 'key-1'), Date.parse('2026-11-29T12:00:00.000Z'));

function usageFact(chunk: number, more: Partial<UsageFact> = {}): UsageFact {
  const event = usageEvent(
    {
      bookingId,
      chunk,
      granted: { count: 2, cost: 7 },
      byReason: { daily_quota_exceeded: { count: 1, cost: 3 }, pacing_backlog_full: { count: 1, cost: 1 } },
      mode: chunk === 1 ? 'observe' : 'enforce',
    },
    window,
  );
  return { accountId: 'acme', event, delivery: { id: 'd-1', isReplay: false, receivedAtMs }, ...more };
}

function quarantineFact(id: string, more: Partial<QuarantineFact> = {}): QuarantineFact {
  return {
    accountId: 'acme',
    occurredAtMs: Date.parse('2026-12-05T00:00:00.000Z'),
    event: { metadata: { id }, data: { reason: 'processing_failed', bookingId, chunk: 3 } },
    delivery: { id: 'd-1', isReplay: false, receivedAtMs },
    ...more,
  };
}

async function all<T>(read: (shard: number) => AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for (let shard = 0; shard < dayShards; shard++) for await (const one of read(shard)) found.push(one);
  return found;
}

/**
 * Registers the tests that every {@link EventFacts} must pass (vitest).
 *
 * @param start makes an empty store; called before each test
 */
export function eventFactsContract(name: string, start: () => Promise<EventFacts>): void {
  describe(`${name} keeps the contract of facts of events`, () => {
    let facts: EventFacts;
    beforeEach(async () => {
      facts = await start();
    });

    const put = (usage: readonly UsageFact[], quarantined: readonly QuarantineFact[] = []) =>
      facts.put({ usage, quarantined });

    test('usage comes back as it was put, of its account and date alone', async () => {
      const foreign = usageFact(0, { accountId: 'other' });
      expect(await put([usageFact(0), usageFact(1), foreign])).toEqual(new Map());
      expect(await facts.usage('acme', date)).toEqual([usageFact(0), usageFact(1)]);
      expect(await facts.usage('other', date)).toEqual([foreign]);
      expect(await facts.usage('acme', '2026-11-28')).toEqual([]);
    });

    test('the same delivery again changes nothing, another one of the same event is another fact', async () => {
      await put([usageFact(0)]);
      await put([usageFact(0)]);
      expect(await facts.usage('acme', date)).toHaveLength(1);
      const replayed = usageFact(0, { delivery: { id: 'replay/one', isReplay: true, receivedAtMs } });
      await put([replayed]);
      expect(await facts.usage('acme', date)).toEqual([usageFact(0), replayed]);
    });

    test('more facts than one call takes are put', async () => {
      const many = Array.from({ length: 60 }, (_, chunk) => usageFact(chunk));
      expect(await put(many)).toEqual(new Map());
      expect(await facts.usage('acme', date)).toHaveLength(60);
    });

    test('a quarantine event lies under the day of its booking, else under its own', async () => {
      const nameless: QuarantineFact = {
        occurredAtMs: Date.parse('2026-12-05T00:00:00.000Z'),
        event: { metadata: { id: 'm-2' }, data: { reason: 'invalid_json' } },
        delivery: { id: 'd-2', isReplay: false, receivedAtMs },
      };
      await put([], [quarantineFact('m-1'), nameless]);
      expect(await facts.quarantined(date)).toEqual([quarantineFact('m-1')]);
      expect(await facts.quarantined('2026-12-05')).toEqual([nameless]);
    });

    test('accounts are known for good, each in its shard', async () => {
      await facts.noteAccounts(['acme', 'b']);
      await facts.noteAccounts(['acme', 'c']);
      expect((await all((shard) => facts.accounts(shard))).sort()).toEqual(['acme', 'b', 'c']);
      for await (const accountId of facts.accounts(dayShardOf('b')))
        expect(dayShardOf(accountId)).toBe(dayShardOf('b'));
    });

    test('of the marks on one date the latest stands; a mark on a booking is one of its own', async () => {
      await facts.noteLate([{ date, storedAtMs: 1 }]);
      await facts.noteLate([
        { date, storedAtMs: 2 },
        { accountId: 'acme', bookingId, storedAtMs: 3 },
      ]);
      expect(new Set(await facts.marks())).toEqual(
        new Set([
          { date, storedAtMs: 2 },
          { accountId: 'acme', bookingId, storedAtMs: 3 },
        ]),
      );
    });
  });
}
