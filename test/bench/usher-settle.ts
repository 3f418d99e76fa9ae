import { DynamoDBDocumentClient, GetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import {
  amounts,
  builtInPolicy,
  type ChunkToSettle,
  type Policy,
  Settler,
  systemClock,
} from '@usher/limiter-core/bulk';
import { DynamoDbAccountStore, keys } from '@usher/limiter-core/bulk/dynamodb';
import { readAccountItem, readLedgerItem } from '@usher/limiter-core/bulk/dynamodb/items';
import { chunksOf } from './chunks-of.ts';
import { newClient } from './client.ts';
import { type Contender, WrongResultError } from './contender.ts';
import { inParallel } from './in-parallel.ts';
import { meter } from './meter.ts';
import { rateLimiterKeys } from './rate-limiter-flexible.ts';
import { type PreparedRun, runWork } from './run-work.ts';
import { usherTable } from './tables.ts';
import type { Work } from './work.ts';

/** The load of one settle call: an SQS batch has at most ten messages, each with one chunk. */
export interface BatchShape {
  readonly accounts: number;
  readonly chunksPerAccount: number;
}

/** The chunks of one settle call, by account. */
type Batch = ReadonlyMap<string, readonly ChunkToSettle[]>;

/**
 * Usher's settle as the worker calls it: chunks of 100 rows, one read of the accounts, one of the ledger, one write per
 * account, one of the ledger with ids and costs. The process is a warm worker: it remembers what it has put into the ledger and so
 * prunes an account's receipts with the account's next write. An account's batches come one after another, as the FIFO
 * queue brings them.
 */
export function usherSettle(
  endpoint: string,
  options: { readonly name: string; readonly shape: BatchShape; readonly reservationsPerAccount: number },
): Contender {
  const { name, shape, reservationsPerAccount } = options;
  const base = newClient(endpoint);
  const takeTally = meter(base);
  const key = `usher-settle-${shape.accounts}x${shape.chunksPerAccount}`;
  const client = DynamoDBDocumentClient.from(base);
  const store = new DynamoDbAccountStore({ client, tableName: usherTable });
  const prepare = (work: Work): PreparedRun => {
    const defaultPolicy: Policy = { ...builtInPolicy, dailyLimit: work.limit };
    const settler = new Settler({ store, defaultPolicy });
    const acceptedAtMs = systemClock();
    const lanes = lanesOf(work, shape, acceptedAtMs);
    return {
      decide: async (width, latencies) => {
        const granted = new Map<string, number>();
        await inParallel(lanes, width, async (batches) => {
          for (const batch of batches) {
            const startedAt = performance.now();
            const results = await settler.settleAll(batch);
            latencies.add(performance.now() - startedAt, rowsOf(batch));
            for (const [accountId, chunks] of results) {
              for (const chunk of chunks) {
                if (chunk.kind === 'failed') throw chunk.error;
                if (chunk.kind === 'refused') throw new WrongResultError(name, accountId, chunk.reason);
                granted.set(accountId, (granted.get(accountId) ?? 0) + amounts(chunk.outcome).granted.cost);
              }
            }
          }
        });
        return granted;
      },
      verify: async () => {
        for (const { accountId, reservationIds } of work.accounts) {
          const chunks = lanes.flat().flatMap((batch) => batch.get(accountId) ?? []);
          await verifyAccount(client, { name, accountId, chunks, limit: work.limit, rows: reservationIds.length });
        }
      },
    };
  };
  return {
    key,
    name,
    algorithm: 'daily quota, first fit, ledger, pacing',
    endpoint: 'DynamoDB',
    baseline: rateLimiterKeys.DynamoDB,
    widths: [1, 2, 4],
    run: (request) => runWork({ key, name, reservationsPerAccount, takeTally, prepare }, request),
    close: () => base.destroy(),
  };
}

function rowsOf(batch: Batch): number {
  return [...batch.values()].flat().reduce((total, { rows }) => total + rows.length, 0);
}

/** Batches that must come one after another, since they are of the same accounts. */
function lanesOf({ accounts }: Work, shape: BatchShape, acceptedAtMs: number): Batch[][] {
  const lanes: Batch[][] = [];
  for (let at = 0; at < accounts.length; at += shape.accounts) {
    const together = accounts.slice(at, at + shape.accounts);
    const chunked = together.map((account) => chunksOf(account, acceptedAtMs));
    const longest = Math.max(...chunked.map((chunks) => chunks.length));
    const lane: Batch[] = [];
    for (let first = 0; first < longest; first += shape.chunksPerAccount) {
      lane.push(
        new Map(
          together.map(({ accountId }, i) => [
            accountId,
            (chunked[i] ?? []).slice(first, first + shape.chunksPerAccount),
          ]),
        ),
      );
    }
    lanes.push(lane);
  }
  return lanes;
}

/** Counter, ledger and limit must agree, every row must be in the ledger, and receipts must have been pruned. */
async function verifyAccount(
  client: DynamoDBDocumentClient,
  expected: {
    readonly name: string;
    readonly accountId: string;
    readonly chunks: readonly ChunkToSettle[];
    readonly limit: number;
    readonly rows: number;
  },
): Promise<void> {
  const { name, accountId, chunks, limit, rows } = expected;
  const bookingId = chunks[0]?.bookingId ?? '';
  const { Item = {} } = await client.send(
    new GetCommand({ TableName: usherTable, Key: keys.account(accountId), ConsistentRead: true }),
  );
  const state = readAccountItem(Item);
  const used = state.usage.get(chunks[0]?.date ?? '')?.used ?? 0;
  const ledger = await readLedger(client, bookingId);
  const ledgerGranted = ledger.reduce((total, { outcome }) => total + amounts(outcome).granted.cost, 0);
  const ledgerRows = ledger.reduce((total, entry) => total + (entry.rows?.length ?? 0), 0);
  if (used !== limit || ledgerGranted !== limit) {
    throw new WrongResultError(name, accountId, `counter ${used}, ledger ${ledgerGranted}, limit ${limit}`);
  }
  if (ledgerRows !== rows) throw new WrongResultError(name, accountId, `${ledgerRows} of ${rows} rows in the ledger`);
  if (state.receipts.size > 1) throw new WrongResultError(name, accountId, `${state.receipts.size} receipts are left`);
}

async function readLedger(
  client: DynamoDBDocumentClient,
  bookingId: string,
): Promise<ReturnType<typeof readLedgerItem>[]> {
  const entries: ReturnType<typeof readLedgerItem>[] = [];
  let from: Record<string, unknown> | undefined;
  do {
    const page = await client.send(
      new QueryCommand({
        TableName: usherTable,
        KeyConditionExpression: 'pk = :pk',
        ExpressionAttributeValues: { ':pk': keys.ledgerPartition(bookingId) },
        ConsistentRead: true,
        ExclusiveStartKey: from,
      }),
    );
    entries.push(...(page.Items ?? []).map(readLedgerItem));
    from = page.LastEvaluatedKey;
  } while (from !== undefined);
  return entries;
}
