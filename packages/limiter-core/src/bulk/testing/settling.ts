import { virtualClock } from '../../clock.ts';
import { outcomesOf } from '../account.ts';
import type { AccountStore } from '../account-store.ts';
import type { LedgerMemory } from '../ledger-memory.ts';
import { MemoryAccountStore } from '../memory-account-store.ts';
import type { ChunkToSettle } from '../settle.ts';
import { type ChunkResult, type SettleCall, Settler, type SettlerOptions } from '../settler.ts';
import { changeOf, chunkOf, noon, outcomeOf, policyOf, today } from './build.ts';

const noPause = { sleep: async (): Promise<void> => {}, random: (): number => 0 };

/** A chunk of cost 3, and one of cost 2 for another account. */
export const acme = chunkOf({ bookingId: 'bk_acme', costs: [3] });
export const other = chunkOf({ bookingId: 'bk_other_account', costs: [2] });

/** The kinds of results, in order. */
export const kindsOf = (results: readonly ChunkResult[] | undefined): unknown => results?.map(({ kind }) => kind);

/** The error of a failed result. */
export const errorOf = (result: ChunkResult | undefined): unknown =>
  result?.kind === 'failed' ? result.error : undefined;

/** An account store in memory at noon, and how to settle on it. */
export type Settling = ReturnType<typeof startSettling>;

/** Starts with an empty store; the clock stands at noon. */
export function startSettling() {
  const stored = new MemoryAccountStore();
  const clock = virtualClock(noon);

  async function settleOn(
    store: AccountStore,
    groups: Record<string, ChunkToSettle[]>,
    {
      memory,
      isOverdue,
      onContention,
      ...options
    }: Partial<SettlerOptions> & SettleCall & { memory?: LedgerMemory } = {},
  ): Promise<ReadonlyMap<string, readonly ChunkResult[]>> {
    const settler = new Settler({ store, clock, defaultPolicy: policyOf(), retry: noPause, ...options }, memory);
    return settler.settleAll(new Map(Object.entries(groups)), {
      ...(isOverdue && { isOverdue }),
      ...(onContention && { onContention }),
    });
  }

  async function usedBy(accountId: string): Promise<number> {
    return (await stored.readAccounts([accountId])).get(accountId)?.state.usage.get(today)?.used ?? 0;
  }

  async function receiptsOf(accountId: string): Promise<string[]> {
    const account = (await stored.readAccounts([accountId])).get(accountId);
    return account === undefined ? [] : [...outcomesOf(account.state.receipts).keys()];
  }

  /** Another writer, who changes an account without a chunk of ours. */
  async function interfere(accountId: string, serial: number): Promise<void> {
    const seenRev = (await stored.readAccounts([accountId])).get(accountId)?.state.rev ?? null;
    await stored.writeAccount(
      changeOf({ accountId, seenRev, receipt: new Map([[`bk_other#${serial}`, outcomeOf()]]) }),
    );
  }

  return { stored, clock, settleOn, usedBy, receiptsOf, interfere };
}
