import { createHash } from 'node:crypto';
import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import { expect, onTestFinished, test } from 'vitest';
import type { LedgerEntry } from '../ledger.ts';
import { ledgerReaderContract } from '../ledger-reader.contract.ts';
import { DynamoDbAccountStore } from './account-store.ts';
import { toLedgerItem } from './ledger-item.ts';
import { DynamoDbLedgerReader } from './ledger-reader.ts';
import { startDynaliteTable } from './testing/dynalite-table.ts';

const bookingId = `bk_${'a'.repeat(32)}`;
const nowMs = Date.parse('2026-11-29T12:00:00.000Z');
const rows = 100;

/** A name of 128 characters that hardly deflates. */
function longId(seed: string): string {
  const hash = createHash('shake256', { outputLength: 256 }).update(seed).digest();
  return String.fromCodePoint(...Array.from({ length: 128 }, (_, at) => 0x4e00 + (hash.readUInt16LE(2 * at) % 20_000)));
}

/** A chunk whose row ids are as long as ids get: a hundred of them are more than the 1 MB that one Query reads. */
function entryOf(chunkIndex: number): LedgerEntry {
  const ids = Array.from({ length: rows }, (_, row) => longId(`${chunkIndex} ${row}`));
  return {
    bookingId,
    chunkIndex,
    accountId: 'ada',
    rows: ids.map((id) => ({ id, cost: 1 })),
    outcome: {
      digest: '0'.repeat(32),
      date: '2026-11-29',
      reasons: ids.map((_, row) => (row === 0 ? 'daily_quota_exceeded' : null)),
      usedBefore: 0,
      grantedCost: rows - 1,
      rejectedCost: 1,
      limit: 10_000,
      limitBefore: null,
      debtMicros: 0,
      refillPerSecond: 10,
      burst: 20,
      policyMode: 'enforce',
      thresholds: [],
      settledAtMs: nowMs,
    },
  };
}

ledgerReaderContract('DynamoDbLedgerReader', async () => {
  const table = await startDynaliteTable();
  onTestFinished(() => table.close());
  const { client } = table.client();
  const options = { client, tableName: table.tableName };
  return { store: new DynamoDbAccountStore(options), reader: new DynamoDbLedgerReader(options) };
});

async function startLedger(chunks: number) {
  const table = await startDynaliteTable();
  onTestFinished(() => table.close());
  const { client } = table.client();
  const { tableName } = table;
  const entries = Array.from({ length: chunks }, (_, chunk) => entryOf(chunk));
  for (let at = 0; at < chunks; at += 10) {
    const puts = entries.slice(at, at + 10).map((entry) => ({ PutRequest: { Item: toLedgerItem(entry) } }));
    await client.send(new BatchWriteCommand({ RequestItems: { [tableName]: puts } }));
  }
  let pages = 0;
  client.middlewareStack.add(
    (next, { commandName }) =>
      (args) => {
        if (commandName === 'QueryCommand') pages++;
        return next(args);
      },
    { step: 'initialize' },
  );
  return { ledger: new DynamoDbLedgerReader({ client, tableName }), entries, pages: () => pages };
}

test('a ledger of more than one page is read to its end, in order', async () => {
  const { ledger, entries, pages } = await startLedger(100);
  expect(await ledger.read({ bookingId, first: 0, last: 99 })).toEqual({ entries, unreadable: [] });
  expect(pages()).toBeGreaterThan(1);
});
