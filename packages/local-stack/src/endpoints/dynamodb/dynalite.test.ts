import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { DynaliteEndedError, type DynaliteStore, openDynalite } from './dynalite.ts';

const headersFor = (operation: string) => ({
  'content-type': 'application/x-amz-json-1.0',
  'x-amz-target': `DynamoDB_20120810.${operation}`,
  'x-amz-date': '20261129T120000Z',
  authorization: 'AWS4-HMAC-SHA256 Credential=local/20261129/eu/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
});

const listTables = (store: DynaliteStore) => store.call(headersFor('ListTables'), Buffer.from('{}'));

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'usher-dynalite-'));
  onTestFinished(() => rm(path, { recursive: true }));
  return path;
}

function opened(path?: string): DynaliteStore {
  const store = openDynalite(path);
  onTestFinished(() => store.close());
  return store;
}

describe('dynalite in a thread of its own', () => {
  test('answers a call', async () => {
    const reply = await listTables(opened());
    expect(reply).toMatchObject({ status: 200, body: '{"TableNames":[]}' });
    expect(reply.headers).toHaveProperty('x-amz-crc32');
  });

  test('refuses a request that dynalite throws at, and goes on', async () => {
    const store = opened();
    expect((await store.call(headersFor('ListTables'), Buffer.from('null'))).status).toBe(400);
    expect((await listTables(store)).status).toBe(200);
  });

  test('fails the call during which dynalite throws, and answers once the folder can be opened', async () => {
    const path = join(await folder(), 'tables');
    await writeFile(path, 'a file in the place of the folder');
    const store = opened(path);
    // The first finds the tables being opened, a later one may find that they could not be.
    const calls = await Promise.allSettled(Array.from({ length: 20 }, () => listTables(store)));
    const failures = calls.map((call) => (call.status === 'rejected' ? call.reason : call.value));
    for (const failure of failures) expect(failure).toBeInstanceOf(DynaliteEndedError);
    await expect(listTables(store)).rejects.toThrow(DynaliteEndedError);
    await rm(path);
    expect((await listTables(store)).status).toBe(200);
  });

  test('keeps what is in a folder over the end of its thread, and loses what was in memory', async () => {
    const base = await folder();
    const [kept, lost] = [opened(join(base, 'kept')), opened()];
    const table = {
      TableName: 'kept',
      BillingMode: 'PAY_PER_REQUEST',
      AttributeDefinitions: [{ AttributeName: 'pk', AttributeType: 'S' }],
      KeySchema: [{ AttributeName: 'pk', KeyType: 'HASH' }],
    };
    await kept.call(headersFor('CreateTable'), Buffer.from(JSON.stringify(table)));
    await writeFile(join(base, 'file'), '');
    await expect(listTables(opened(join(base, 'file')))).rejects.toThrow(DynaliteEndedError);

    expect((await listTables(kept)).body).toBe('{"TableNames":["kept"]}');
    await expect(listTables(lost)).rejects.toThrow('in memory went with the thread');
  });
});
