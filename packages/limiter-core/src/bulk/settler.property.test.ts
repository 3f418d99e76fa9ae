import fc from 'fast-check';
import { expect, test } from 'vitest';
import { virtualClock } from '../clock.ts';
import { chunkIdOf } from './ledger.ts';
import { LedgerMemory } from './ledger-memory.ts';
import { MemoryAccountStore } from './memory-account-store.ts';
import { type Outcome, usedAfter } from './outcome.ts';
import type { Policy } from './policy.ts';
import type { ChunkToSettle } from './settle.ts';
import { Settler } from './settler.ts';
import { chunkLists, policies } from './testing/arbitraries.ts';
import { noon } from './testing/build.ts';
import { FaultyStore, type StoreFault } from './testing/faulty-store.ts';

const accountIds = ['acme', 'other'];

/** Some chunks come to some worker, in some order, under the policy of that moment; the store's calls meet faults. */
interface Delivery {
  readonly picks: readonly number[];
  readonly worker: number;
  readonly policy: Policy;
  readonly elapsedMs: number;
  readonly faults: readonly StoreFault[];
}

const deliveries: fc.Arbitrary<Delivery[]> = fc.array(
  fc.record({
    picks: fc.array(fc.nat(11), { minLength: 1, maxLength: 6 }),
    worker: fc.nat(1),
    policy: policies,
    elapsedMs: fc.integer({ min: -1000, max: 3_600_000 }),
    faults: fc.array(fc.constantFrom<StoreFault[]>('none', 'none', 'request lost', 'reply lost'), { maxLength: 8 }),
  }),
  { minLength: 1, maxLength: 10 },
);

/** Chunks of one booking belong to one account. */
function accountOf({ bookingId }: ChunkToSettle): string {
  return bookingId === 'bk_a' ? 'acme' : 'other';
}

function withIds(chunk: ChunkToSettle): ChunkToSettle {
  return { ...chunk, rows: chunk.rows.map(({ cost }, row) => ({ id: `${chunkIdOf(chunk)}/${row}`, cost })) };
}

function grouped(chunks: readonly ChunkToSettle[]): Map<string, ChunkToSettle[]> {
  return Map.groupBy(chunks, accountOf);
}

/** Books that must balance, in whatever order, how often and through whatever faults the chunks came. */
class Books {
  readonly store = new MemoryAccountStore();
  readonly clock = virtualClock(noon);
  readonly #verdicts = new Map<string, Outcome>();

  async deliver(
    chunks: readonly ChunkToSettle[],
    store: FaultyStore,
    policy: Policy,
    memory: LedgerMemory,
  ): Promise<number> {
    const groups = grouped(chunks);
    const retry = { sleep: async () => {}, random: () => 0 };
    const options = { store, clock: this.clock, defaultPolicy: policy, maxAttempts: 3, retry };
    const results = await new Settler(options, memory).settleAll(groups);
    let settled = 0;
    for (const [accountId, group] of groups) {
      for (const [i, chunk] of group.entries()) {
        const result = results.get(accountId)?.[i];
        if (result?.kind !== 'settled') continue;
        settled++;
        this.#expectOriginal(chunkIdOf(chunk), result.outcome);
      }
    }
    return settled;
  }

  #expectOriginal(id: string, outcome: Outcome): void {
    const known = this.#verdicts.get(id);
    if (known === undefined) this.#verdicts.set(id, outcome);
    else expect(outcome).toEqual(known);
  }

  async expectBalance(chunks: readonly ChunkToSettle[]): Promise<void> {
    const ledger = this.store.ledger();
    expect(ledger.map(chunkIdOf).sort()).toEqual(chunks.map(chunkIdOf).sort());
    for (const entry of ledger) {
      expect(entry.outcome).toEqual(this.#verdicts.get(chunkIdOf(entry)));
      expect(entry.rows).toEqual(chunks.find((chunk) => chunkIdOf(chunk) === chunkIdOf(entry))?.rows);
      const { policyMode, grantedCost, limit } = entry.outcome;
      if (policyMode === 'enforce' && grantedCost > 0) expect(usedAfter(entry.outcome)).toBeLessThanOrEqual(limit);
    }
    for (const accountId of accountIds) {
      const usage = (await this.store.readAccounts([accountId])).get(accountId)?.state.usage ?? new Map();
      for (const [date, { used, rejected }] of usage) {
        const own = ledger.filter((entry) => entry.accountId === accountId && entry.outcome.date === date);
        expect(used).toBe(own.reduce((sum, { outcome }) => sum + outcome.grantedCost, 0));
        expect(rejected).toBe(own.reduce((sum, { outcome }) => sum + outcome.rejectedCost, 0));
      }
    }
  }
}

test('chunks in any order and number, through lost requests and replies, are counted once with one verdict', async () => {
  await fc.assert(
    fc.asyncProperty(chunkLists, deliveries, async (list, rounds) => {
      const chunks = list.map(withIds);
      const books = new Books();
      const memories = [new LedgerMemory(4), new LedgerMemory()];
      for (const { picks, worker, policy, elapsedMs, faults } of rounds) {
        books.clock.advance(elapsedMs);
        const plan = [...faults];
        const store = new FaultyStore(books.store, () => plan.shift() ?? 'none');
        const picked = picks.map((pick) => chunks[pick % chunks.length]).filter((chunk) => chunk !== undefined);
        await books.deliver(picked, store, policy, memories[worker] ?? new LedgerMemory());
      }
      const policy = rounds[0]?.policy;
      if (policy === undefined) throw new Error('there is at least one round');
      const settled = await books.deliver(chunks, new FaultyStore(books.store), policy, new LedgerMemory());
      expect(settled).toBe(chunks.length);
      await books.expectBalance(chunks);
    }),
    { numRuns: 300 },
  );
});

test('workers at the same time, interleaved call by call, count each chunk once with one verdict', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), chunkLists, policies, policies, async (scheduler, list, policy, otherPolicy) => {
      const chunks = list.map(withIds);
      const books = new Books();
      const worker = (order: readonly ChunkToSettle[], own: Policy): Promise<number> => {
        const turn = async (call: string): Promise<void> => void (await scheduler.schedule(Promise.resolve(), call));
        const store = new FaultyStore(books.store, () => 'none', turn);
        return books.deliver(order, store, own, new LedgerMemory());
      };
      const all = Promise.all([
        worker(chunks, policy),
        worker(chunks.toReversed(), otherPolicy),
        worker(chunks.slice(0, 3), policy),
      ]);
      await scheduler.waitFor(all);
      await books.deliver(chunks, new FaultyStore(books.store), policy, new LedgerMemory());
      await books.expectBalance(chunks);
    }),
  );
});
