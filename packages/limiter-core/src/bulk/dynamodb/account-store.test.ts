import { type AttributeValue, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { CorruptItemError, DeterministicError } from '../../errors.ts';
import { accountStoreContract } from '../account-store.contract.ts';
import { builtInPolicy } from '../policy.ts';
import { resolvePolicy } from '../policy-file.ts';
import { changeOf, outcomeOf } from '../testing/build.ts';
import { type ItemKey, keys } from './keys.ts';
import { type DynaliteTable, startDynaliteTable } from './testing/dynalite-table.ts';
import { entryOf, storeOn } from './testing/store-on.ts';

/** Each test has a server of its own: some tests are about what the table holds in all. */
let tables: DynaliteTable[] = [];
let table: DynaliteTable;

async function freshTable(): Promise<DynaliteTable> {
  table = await startDynaliteTable();
  tables.push(table);
  return table;
}

afterAll(async () => {
  await Promise.all(tables.map((one) => one.close()));
  tables = [];
});

accountStoreContract('DynamoDbAccountStore', async () => {
  const fresh = await freshTable();
  const { client } = fresh.client();
  return {
    store: storeOn(fresh).store,
    setOverrides: async (accountId, policy) => {
      await client.send(new PutCommand({ TableName: fresh.tableName, Item: { ...keys.policy(accountId), policy } }));
    },
  };
});

describe('an item that cannot be read', () => {
  beforeAll(async () => {
    const { client } = (await freshTable()).client();
    const put = (Item: Record<string, unknown>): Promise<unknown> =>
      client.send(new PutCommand({ TableName: table.tableName, Item }));
    await put({ ...keys.account('corrupt'), rev: 'x' });
    await put({ ...keys.ledger(entryOf(8)), outcome: Uint8Array.of(99), complete: true });
    await put({ ...keys.ledger(entryOf(9)), complete: true });
  });

  test('makes its account an Error and no other', async () => {
    const accounts = await storeOn(table).store.readAccounts(['corrupt', 'acme']);
    expect(accounts.get('corrupt')).toBeInstanceOf(CorruptItemError);
    expect(accounts.get('acme')).toMatchObject({ state: { rev: null } });
  });

  test.each(['9007199254740993', '9007199254740993.5', '1e40'])(
    'for a number that no double keeps, %s, makes its account an Error and no other',
    async (N) => {
      const { base } = table.client();
      const put = ({ pk, sk }: ItemKey, fields: Record<string, AttributeValue>): Promise<unknown> =>
        base.send(
          new PutItemCommand({ TableName: table.tableName, Item: { pk: { S: pk }, sk: { S: sk }, ...fields } }),
        );
      await put(keys.account('huge'), { rev: { N } });
      await put(keys.policy('limited'), { policy: { M: { dailyLimit: { N } } } });
      const accounts = await storeOn(table).store.readAccounts(['huge', 'acme', 'limited']);
      expect(accounts.get('huge')).toBeInstanceOf(CorruptItemError);
      expect(accounts.get('acme')).toMatchObject({ state: { rev: null } });
      const limited = accounts.get('limited');
      const overrides = limited === undefined || limited instanceof Error ? undefined : limited.overrides;
      expect(() => resolvePolicy(builtInPolicy, overrides)).toThrow('dailyLimit must be a number');
    },
  );

  test('makes its chunk an Error and no other', async () => {
    const found = await storeOn(table).store.readLedger([entryOf(7), entryOf(8), entryOf(9)]);
    expect([...found.keys()]).toEqual(['bk_a#8', 'bk_a#9']);
    expect(found.get('bk_a#8')).toBeInstanceOf(CorruptItemError);
    expect(found.get('bk_a#9')).toBeInstanceOf(CorruptItemError);
  });
});

test('reads are consistent and project a replay to what it needs', async () => {
  const { store, base } = storeOn(await freshTable());
  const inputs: unknown[] = [];
  base.middlewareStack.add(
    (next) => async (args) => {
      inputs.push(args.input);
      return next(args);
    },
    { step: 'initialize', priority: 'low', name: 'watch' },
  );
  await store.readAccounts(['acme']);
  await store.readLedger([entryOf(0)]);
  expect(inputs).toEqual([
    { RequestItems: { usher: expect.objectContaining({ ConsistentRead: true }) } },
    {
      RequestItems: {
        usher: expect.objectContaining({ ConsistentRead: true, ProjectionExpression: 'pk, sk, outcome, complete' }),
      },
    },
  ]);
});

describe('an entry that code fails on', () => {
  const unwritable = outcomeOf({ usedBefore: -1 });

  test('fails a write as a deterministic error, before anything is sent', async () => {
    const { store } = storeOn(await freshTable());
    const change = changeOf({ accountId: 'acme', receipt: new Map([['bk_a#1', unwritable]]) });
    await expect(store.writeAccount(change)).rejects.toThrow(DeterministicError);
  });

  test('fails its own ledger entry and no other', async () => {
    const { store } = storeOn(await freshTable());
    const failures = await store.writeLedger([entryOf(1), { ...entryOf(2), outcome: unwritable }]);
    expect([...failures]).toEqual([['bk_a#2', expect.any(DeterministicError)]]);
    expect([...(await store.readLedger([entryOf(1), entryOf(2)])).keys()]).toEqual(['bk_a#1']);
  });
});
