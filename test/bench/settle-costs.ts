import { createHash } from 'node:crypto';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { builtInPolicy, type ChunkToSettle, type Policy, Settler, virtualClock } from '@usher/limiter-core/bulk';
import { DynamoDbAccountStore, documentTranslation } from '@usher/limiter-core/bulk/dynamodb';
import { chunksOf } from './chunks-of.ts';
import { newClient } from './client.ts';
import { WrongResultError } from './contender.ts';
import type { Cost, CostBounds } from './costs.ts';
import { meter } from './meter.ts';
import { usherTable } from './tables.ts';

/** A way in which an account's chunks come, and the bounds that settling them must keep. */
interface SettleCase {
  readonly name: string;
  readonly accounts: number;
  readonly chunksPerAccount: number;
  readonly bounds: CostBounds;
  /** @default ids like a flight's, 16 characters */
  readonly idOf?: (row: number) => string;
  /** Days on which every account was used before. @default 0 */
  readonly daysBefore?: number;
  /** Worker processes that take the batches in turn, each with a memory of its own. @default 1 */
  readonly workers?: number;
}

const dayMs = 86_400_000;
const startMs = Date.parse('2026-09-30T12:00:00.000Z');
const batches = 12;
/** Rows of an account's chunk on a day before. */
const rowsBefore = 40;

export const settleCases: readonly SettleCase[] = [
  {
    name: '10 chunks of an account',
    accounts: 1,
    chunksPerAccount: 10,
    bounds: { calls: 4, writeUnits: 14 },
  },
  {
    name: '10 chunks of an account, after 60 days of use',
    accounts: 1,
    chunksPerAccount: 10,
    daysBefore: 60,
    bounds: { calls: 4, writeUnits: 16 },
  },
  {
    name: '10 chunks of an account, ids are UUIDs',
    accounts: 1,
    chunksPerAccount: 10,
    idOf: uuidOf,
    bounds: { calls: 4, writeUnits: 35 },
  },
  {
    name: '10 chunks of an account, 4 workers in turn',
    accounts: 1,
    chunksPerAccount: 10,
    workers: 4,
    bounds: { calls: 4, writeUnits: 16 },
  },
  {
    name: '1 chunk of each of 10 accounts',
    accounts: 10,
    chunksPerAccount: 1,
    bounds: { calls: 13, writeUnits: 22 },
  },
  {
    name: '1 chunk of each of 10 accounts, after 60 days of use',
    accounts: 10,
    chunksPerAccount: 1,
    daysBefore: 60,
    bounds: { calls: 13, writeUnits: 22 },
  },
  {
    name: '1 chunk of each of 10 accounts, 4 workers in turn',
    accounts: 10,
    chunksPerAccount: 1,
    workers: 4,
    bounds: { calls: 13, writeUnits: 30 },
  },
  {
    name: '1 chunk',
    accounts: 1,
    chunksPerAccount: 1,
    bounds: { calls: 40, writeUnits: 22 },
  },
];

/** Settles batches as a case says, on accounts of its own, and tells their cost for 1,000 reservations. */
export async function settleCost(endpoint: string, of: SettleCase): Promise<Cost> {
  const base = newClient(endpoint);
  const takeTally = meter(base);
  const store = new DynamoDbAccountStore({
    client: DynamoDBDocumentClient.from(base, documentTranslation),
    tableName: usherTable,
  });
  const clock = virtualClock(startMs);
  const rows = batches * of.chunksPerAccount * 100;
  // Some are denied at the end, so that verdicts are mixed.
  const defaultPolicy: Policy = { ...builtInPolicy, dailyLimit: Math.floor(rows * 0.95) };
  const settlers = Array.from({ length: of.workers ?? 1 }, () => new Settler({ store, clock, defaultPolicy }));
  const accountIds = Array.from({ length: of.accounts }, (_, i) => `partner-${of.name.replace(/\W/g, '-')}-${i}`);
  const settle = async (round: number, chunks: ReadonlyMap<string, readonly ChunkToSettle[]>): Promise<void> => {
    const results = (await settlers[round % settlers.length]?.settleAll(chunks)) ?? new Map();
    for (const [accountId, list] of results) {
      for (const result of list) {
        if (result.kind === 'failed') throw result.error;
        if (result.kind === 'refused') throw new WrongResultError(of.name, accountId, result.reason);
      }
    }
  };
  const bookingsOf = (count: number): Map<string, ChunkToSettle[]> =>
    new Map(
      accountIds.map((accountId) => [
        accountId,
        chunksOf({ accountId, reservationIds: Array.from({ length: count }, (_, row) => idOf(row)) }, clock()),
      ]),
    );
  const idOf = of.idOf ?? flightIdOf;
  try {
    for (let day = 0; day < (of.daysBefore ?? 0); day++, clock.advance(dayMs))
      await settle(day, bookingsOf(rowsBefore));
    const all = bookingsOf(rows);
    takeTally();
    for (let batch = 0; batch < batches; batch++) {
      const from = batch * of.chunksPerAccount;
      await settle(batch, new Map([...all].map(([id, list]) => [id, list.slice(from, from + of.chunksPerAccount)])));
    }
    const { name, bounds } = of;
    return {
      name: `settle, ${name}`,
      per: '1,000 reservations',
      bounds,
      ...perThousand(takeTally(), rows * of.accounts),
    };
  } finally {
    base.destroy();
  }
}

function perThousand(
  { calls, readUnits, writeUnits }: { readonly calls: number; readonly readUnits: number; readonly writeUnits: number },
  reservations: number,
): Pick<Cost, 'calls' | 'readUnits' | 'writeUnits'> {
  const of = (count: number): number => (count * 1000) / reservations;
  return { calls: of(calls), readUnits: of(readUnits), writeUnits: of(writeUnits) };
}

function flightIdOf(row: number): string {
  return `DTWLAS-0101-${String(row).padStart(4, '0')}`;
}

function uuidOf(row: number): string {
  const hex = createHash('sha256').update(`row ${row}`).digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}
