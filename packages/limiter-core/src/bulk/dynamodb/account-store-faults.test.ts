import { afterAll, describe, expect, test } from 'vitest';
import { virtualClock } from '../../clock.ts';
import { UnprocessedError } from '../../errors.ts';
import { Settler } from '../settler.ts';
import { changeOf, chunkOf, noon, policyOf, settledOutcome, today } from '../testing/build.ts';
import { type DynaliteTable, startDynaliteTable } from './testing/dynalite-table.ts';
import { injectFaults, leaveUnprocessed } from './testing/faults.ts';
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

describe('a reply that is lost', () => {
  test('to an applied write makes the SDK repeat it, which is a conflict, never a second count', async () => {
    const { store, base } = storeOn(await freshTable());
    const requests = injectFaults(base, { UpdateItem: ['reply lost'] });
    expect(await store.writeAccount(changeOf())).toBe('conflict');
    expect(requests).toEqual(['UpdateItem', 'UpdateItem']);
    const accounts = await store.readAccounts(['acme']);
    expect(accounts.get('acme')).toMatchObject({ state: { rev: 1 } });
  });

  test('is followed by reading again and finding the own receipt: granted, one count', async () => {
    const { store, base } = storeOn(await freshTable());
    const requests = injectFaults(base, { UpdateItem: ['reply lost'] });
    const retry = { sleep: async () => {}, random: () => 0 };
    const settler = new Settler({ store, clock: virtualClock(noon), defaultPolicy: policyOf(), retry });
    const [result] = await settler.settle('acme', [chunkOf({ costs: [4] })]);
    expect(result).toMatchObject({ kind: 'settled', origin: 'receipt' });
    expect(settledOutcome(result).reasons).toEqual([null]);
    expect(requests).toEqual([
      'BatchGetItem',
      'BatchGetItem',
      'UpdateItem',
      'UpdateItem',
      'BatchGetItem',
      'BatchGetItem',
      'BatchWriteItem',
    ]);
    const account = (await store.readAccounts(['acme'])).get('acme');
    expect(account).toMatchObject({ state: { usage: new Map([[today, expect.objectContaining({ used: 4 })]]) } });
  });

  test('to a ledger write makes the SDK repeat it, which changes nothing', async () => {
    const { store, base } = storeOn(await freshTable());
    injectFaults(base, { BatchWriteItem: ['reply lost'], PutItem: ['reply lost'] });
    expect(await store.writeLedger([entryOf(0)])).toEqual(new Map());
    const { rows: _, ...bare } = entryOf(1);
    await store.writeLedgerIfAbsent(bare);
    const found = await store.readLedger([entryOf(0), bare]);
    expect(found.get('bk_a#0')).toMatchObject({ complete: true });
    expect(found.get('bk_a#1')).toMatchObject({ complete: false });
  });
});

test('a request that is lost is repeated by the SDK and written', async () => {
  const { store, base } = storeOn(await freshTable());
  const requests = injectFaults(base, { UpdateItem: ['request lost'] });
  expect(await store.writeAccount(changeOf())).toBe('written');
  expect(requests).toHaveLength(2);
});

describe('a table that answers 500 to every attempt', () => {
  const always = new Array<'server error'>(10).fill('server error');

  test('is an error of reads and writes, never an empty answer and never a conflict', async () => {
    const { store, base } = storeOn(await freshTable());
    injectFaults(base, { UpdateItem: [...always], BatchGetItem: [...always], PutItem: [...always] });
    await expect(store.readAccounts(['acme'])).rejects.toThrow('internal failure');
    await expect(store.readLedger([entryOf(0)])).rejects.toThrow('internal failure');
    await expect(store.writeAccount(changeOf())).rejects.toThrow('internal failure');
    await expect(store.writeLedgerIfAbsent(entryOf(0))).rejects.toThrow('internal failure');
  });

  test('fails just the entries of the calls that it failed', async () => {
    const { store, base } = storeOn(await freshTable());
    injectFaults(base, { BatchWriteItem: ['none', ...always.slice(0, 3)] });
    const failures = await store.writeLedger(Array.from({ length: 30 }, (_, chunk) => entryOf(chunk)));
    expect([...failures.keys()]).toEqual([25, 26, 27, 28, 29].map((chunk) => `bk_a#${chunk}`));
    expect(failures.get('bk_a#25')?.message).toContain('internal failure');
  });
});

describe('an item that DynamoDB leaves unprocessed', () => {
  test('is read again, after pauses that grow, until all is there', async () => {
    const { store, base, pauses } = storeOn(await freshTable());
    await store.writeAccount(changeOf());
    await store.writeAccount(changeOf({ accountId: 'other' }));
    leaveUnprocessed(base, { perCall: 1 });
    const accounts = await store.readAccounts(['acme', 'other']);
    expect(accounts.get('acme')).toMatchObject({ state: { rev: 1 } });
    expect(accounts.get('other')).toMatchObject({ state: { rev: 1 } });
    expect(pauses).toEqual([10, 20, 40]);
  });

  test('is written again until all is there', async () => {
    const { store, base, pauses } = storeOn(await freshTable());
    const entries = Array.from({ length: 12 }, (_, chunk) => entryOf(chunk));
    leaveUnprocessed(base, { perCall: 5 });
    expect(await store.writeLedger(entries)).toEqual(new Map());
    expect(pauses).toHaveLength(2);
    expect((await storeOn(table).store.readLedger(entries)).size).toBe(12);
  });

  test('to the last attempt makes that account an Error and no other: unread is never absent', async () => {
    const { store, base, pauses } = storeOn(await freshTable(), 3);
    await store.writeAccount(changeOf());
    await store.writeAccount(changeOf({ accountId: 'other' }));
    leaveUnprocessed(base, { perCall: 100, isServed: (key) => !JSON.stringify(key).includes('account#acme') });
    const accounts = await store.readAccounts(['acme', 'other']);
    expect(accounts.get('acme')).toBeInstanceOf(UnprocessedError);
    expect(accounts.get('other')).toMatchObject({ state: { rev: 1 } });
    expect(pauses).toHaveLength(2);
  });

  test('of the policy alone makes its account an Error: a missing policy is not a default one', async () => {
    const { store, base } = storeOn(await freshTable(), 2);
    await store.writeAccount(changeOf());
    leaveUnprocessed(base, { perCall: 100, isServed: (key) => !JSON.stringify(key).includes('policy') });
    expect((await store.readAccounts(['acme'])).get('acme')).toBeInstanceOf(UnprocessedError);
  });

  test('of the ledger makes that chunk an Error, and of a write fails that chunk', async () => {
    const { store, base } = storeOn(await freshTable(), 2);
    await store.writeLedger([entryOf(0)]);
    leaveUnprocessed(base, { perCall: 100, isServed: (item) => !JSON.stringify(item).includes('c#00001') });
    const failures = await store.writeLedger([entryOf(1), entryOf(2)]);
    expect([...failures]).toEqual([['bk_a#1', expect.any(UnprocessedError)]]);
    const found = await store.readLedger([entryOf(0), entryOf(1), entryOf(2)]);
    expect(found.get('bk_a#0')).toMatchObject({ complete: true });
    expect(found.get('bk_a#1')).toBeInstanceOf(UnprocessedError);
    expect(found.get('bk_a#2')).toMatchObject({ complete: true });
  });
});
