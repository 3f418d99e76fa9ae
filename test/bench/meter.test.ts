import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { DynamoDB } from '@aws-sdk/client-dynamodb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { newClient } from './client.ts';
import { meter, type Tally } from './meter.ts';

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const key = { id: { S: 'a' } };
const refused: Answer = { status: 400, body: { __type: 'com.amazonaws.dynamodb#ConditionalCheckFailedException' } };

let server: Server;
let client: DynamoDB;
let takeTally: () => Tally;
let answers: Answer[];
let bodies: unknown[];

beforeEach(async () => {
  answers = [];
  bodies = [];
  server = createServer(async (request, response) => {
    bodies.push(await json(request));
    const { status, body } = answers.shift() ?? { status: 200, body: {} };
    response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body));
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  client = newClient(`http://127.0.0.1:${portOf(server)}`);
  takeTally = meter(client);
});

afterEach(async () => {
  client.destroy();
  await new Promise((closed) => server.close(closed));
});

test('capacity is asked for and counted as read or written, by the kind of call', async () => {
  answers = [used(1.5), used(2), usedBatch(3, 4), usedBatch(5)];
  await client.getItem({ TableName: 't', Key: key });
  await client.putItem({ TableName: 't', Item: key });
  await client.batchWriteItem({ RequestItems: { t: [{ PutRequest: { Item: key } }] } });
  await client.batchGetItem({ RequestItems: { t: { Keys: [key] } } });
  expect(takeTally()).toEqual({ calls: 4, reads: 2, readUnits: 6.5, writeUnits: 9, failedConditions: 0 });
  expect(bodies).toEqual(bodies.map(() => expect.objectContaining({ ReturnConsumedCapacity: 'TOTAL' })));
});

test('a failed condition is a call that AWS bills, though it tells no capacity', async () => {
  answers = [refused];
  await expect(client.putItem({ TableName: 't', Item: key, ConditionExpression: 'x = y' })).rejects.toThrow();
  expect(takeTally()).toEqual({ calls: 1, reads: 0, readUnits: 0, writeUnits: 1, failedConditions: 1 });
});

test("every attempt of the SDK's own retries is a call", async () => {
  answers = [{ status: 500, body: { __type: 'InternalServerError' } }, used(2)];
  await client.putItem({ TableName: 't', Item: key });
  expect(takeTally()).toEqual({ calls: 2, reads: 0, readUnits: 0, writeUnits: 2, failedConditions: 0 });
});

test('taking the tally begins a new one', async () => {
  answers = [used(1)];
  await client.getItem({ TableName: 't', Key: key });
  takeTally();
  expect(takeTally()).toEqual({ calls: 0, reads: 0, readUnits: 0, writeUnits: 0, failedConditions: 0 });
});

test('an answer without capacity, and a call of unknown kind, are not counted as free', async () => {
  await expect(client.getItem({ TableName: 't', Key: key })).rejects.toThrow('without ConsumedCapacity');
  answers = [used(1)];
  await expect(client.deleteItem({ TableName: 't', Key: key })).rejects.toThrow('DeleteItemCommand');
});

function used(CapacityUnits: number): Answer {
  return { status: 200, body: { ConsumedCapacity: { TableName: 't', CapacityUnits } } };
}

function usedBatch(...units: readonly number[]): Answer {
  const ConsumedCapacity = units.map((CapacityUnits, i) => ({ TableName: `t${i}`, CapacityUnits }));
  return { status: 200, body: { ConsumedCapacity } };
}

function portOf(listening: Server): number {
  const address: AddressInfo | string | null = listening.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}
