import { connect } from 'node:net';
import { DynamoDBClient, GetItemCommand, PutItemCommand, ScanCommand } from '@aws-sdk/client-dynamodb';
import { systemRetry, type VirtualClock, virtualClock } from '@usher/limiter-core/bulk';
import { createTable, localClientConfig } from '@usher/loopback';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Fault, Intercept } from '../intercept.ts';
import { type Endpoints, startEndpoints } from '../start-endpoints.ts';
import { sweepExpired } from './ttl-sweep.ts';

describe('the DynamoDB endpoint', () => {
  let clock: VirtualClock;
  let fault: Intercept;
  let endpoints: Endpoints;
  let client: DynamoDBClient;

  beforeEach(async () => {
    clock = virtualClock('2026-11-29T10:00:00Z');
    fault = () => 'pass';
    endpoints = await startEndpoints({ clock, intercept: (call) => fault(call) });
    client = new DynamoDBClient({ ...localClientConfig(endpoints.dynamoDbUrl), maxAttempts: 1 });
    await createTable(client, { tableName: 'items', partitionKey: 'pk', sortKey: 'sk' }, systemRetry);
  });
  afterEach(async () => {
    client.destroy();
    await endpoints.close();
  });

  const put = (pk: string, expiresAt?: { N: string } | { S: string }) =>
    client.send(
      new PutItemCommand({
        TableName: 'items',
        Item: { pk: { S: pk }, sk: { S: 's' }, ...(expiresAt && { expiresAt }) },
      }),
    );

  async function kept(): Promise<unknown[]> {
    const { Items = [] } = await client.send(new ScanCommand({ TableName: 'items' }));
    return Items.map(({ pk }) => pk?.S).sort();
  }

  const inSeconds = (offset: number) => ({ N: String(clock() / 1000 + offset) });

  test('sweeps items whose expiresAt has come, and no others', async () => {
    await put('past', inSeconds(-1));
    await put('now', inSeconds(0));
    await put('future', inSeconds(1));
    await put('without');
    await put('text', { S: '0' });
    expect(await sweepExpired(client, clock)).toBe(2);
    expect(await kept()).toEqual(['future', 'text', 'without']);
    clock.advance(1000);
    expect(await sweepExpired(client, clock)).toBe(1);
  });

  test('keeps an item whose expiresAt is moved between being read and being deleted', async () => {
    await put('moved', inSeconds(-1));
    fault = async ({ operation }): Promise<Fault> => {
      if (operation === 'DeleteItem') await put('moved', inSeconds(100));
      return 'pass';
    };
    expect(await sweepExpired(client, clock)).toBe(0);
    expect(await kept()).toEqual(['moved']);
  });

  test('sweeps by itself at the interval given', async () => {
    const swept = Promise.withResolvers<unknown>();
    const sweeping = await startEndpoints({
      clock,
      ttlSweepIntervalMs: 1,
      intercept: ({ operation, input }) => {
        if (operation === 'ListTables') swept.resolve(input);
        return 'pass';
      },
    });
    expect(await swept.promise).toEqual({});
    await sweeping.close();
  });

  test('carries out a write whose reply is cut', async () => {
    fault = ({ operation }) => (operation === 'PutItem' ? 'drop-after' : 'pass');
    await expect(put('a')).rejects.toThrow();
    expect(await kept()).toEqual(['a']);
  });

  test('carries out nothing of a call that is cut before it', async () => {
    fault = ({ operation }) => (operation === 'PutItem' ? 'drop-before' : 'pass');
    await expect(put('a')).rejects.toThrow();
    expect(await kept()).toEqual([]);
  });

  test('refuses a call with the error a test asks for', async () => {
    fault = () => ({ status: 400, type: 'com.amazonaws#ProvisionedThroughputExceededException', message: 'slow down' });
    await expect(put('a')).rejects.toMatchObject({ name: 'ProvisionedThroughputExceededException' });
  });

  test('closes as soon as running calls have finished, though clients keep connections alive', async () => {
    const arrived = Promise.withResolvers<void>();
    const released = Promise.withResolvers<Fault>();
    fault = ({ operation }) => {
      if (operation !== 'PutItem') return 'pass';
      arrived.resolve();
      return released.promise;
    };
    const putting = put('a');
    await arrived.promise;
    const closing = endpoints.close();
    released.resolve('pass');
    await putting;
    await closing;
    endpoints = await startEndpoints({ clock });
  }, 4000);

  test('outlives a client that goes away in the middle of a request', async () => {
    const { port } = new URL(endpoints.dynamoDbUrl);
    const socket = connect(Number(port), '127.0.0.1');
    const closed = new Promise((resolve) => socket.on('close', resolve));
    socket.write(`POST / HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nContent-Length: 100\r\n\r\n{"half":`, () =>
      socket.destroy(),
    );
    await closed;
    await put('a');
    const { Item } = await client.send(
      new GetItemCommand({ TableName: 'items', Key: { pk: { S: 'a' }, sk: { S: 's' } } }),
    );
    expect(Item?.pk).toEqual({ S: 'a' });
  });
});
