import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hopStoreContract } from '../hop-store.contract.ts';
import { noon } from '../testing/build.ts';
import { DynamoDbHopStore } from './hop-store.ts';
import { keys } from './keys.ts';
import { type DynaliteTable, startDynaliteTable } from './testing/dynalite-table.ts';

let table: DynaliteTable;
let serial = 0;

beforeAll(async () => {
  table = await startDynaliteTable();
});
afterAll(() => table.close());

const storeOf = (tableName: string): DynamoDbHopStore =>
  new DynamoDbHopStore({ client: table.client().client, tableName });

hopStoreContract('DynamoDbHopStore', async () => {
  const store = storeOf(table.tableName);
  const prefix = `bk_${serial++}`;
  return { claim: ({ bookingId, ...rest }) => store.claim({ bookingId: `${prefix}${bookingId}`, ...rest }) };
});

test('a hop is one small item, kept for 60 days after its last slot', async () => {
  const chunk = { bookingId: 'bk_kept', chunkIndex: 7 };
  await storeOf(table.tableName).claim({ ...chunk, hop: 2, copy: 'token', neededUntilMs: noon });
  const { Item } = await table
    .client()
    .client.send(new GetCommand({ TableName: table.tableName, Key: { ...keys.hop(chunk) } }));
  expect(Item).toEqual({
    pk: 'pacing#bk_kept#7',
    sk: 'hop',
    hop: 3,
    claim: 'token',
    expiresAt: noon / 1000 + 60 * 86_400,
  });
});

test('an error of the table is an error of the store, never an answer', async () => {
  const claim = { bookingId: 'bk_a', chunkIndex: 0, hop: 0, copy: 'a', neededUntilMs: noon };
  await expect(storeOf('no-such-table').claim(claim)).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
});
