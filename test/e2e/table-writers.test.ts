import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  BatchWriteCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { bookingIdOf, bookingKeyFor } from '@usher/contracts';
import type { Outcome } from '@usher/limiter-core/bulk';
import { type ItemKey, keys } from '@usher/limiter-core/bulk/dynamodb';
import { toLedgerItem } from '@usher/limiter-core/bulk/dynamodb/items';
import { localClientConfig } from '@usher/loopback';
import { describe, expect, test } from 'vitest';
import { endpoint, operator, outputs } from './deployment.ts';
import { aws } from './harness/emulator.ts';
import { userOfRole } from './harness/role-user.ts';

// Each function's role alone, as whoever took the function over would have it.

const TableName = outputs.TableName;
const bookingKey = bookingKeyFor('mallory', 'forged');
const bookingId = bookingIdOf(bookingKey, Date.parse('2026-11-29T12:00:00.000Z'));
const chunk = { bookingId, chunkIndex: 0 };

const allGranted: Outcome = {
  digest: '0'.repeat(32),
  date: '2026-11-29',
  reasons: [null],
  usedBefore: 0,
  grantedCost: 10_000,
  rejectedCost: 0,
  limit: 10_000,
  limitBefore: null,
  debtMicros: 0,
  refillPerSecond: 10,
  burst: 20,
  policyMode: 'enforce',
  thresholds: [],
  settledAtMs: Date.parse('2026-11-29T12:00:01.000Z'),
};

/** Items that nobody decided, granted or set. */
const forged = {
  'an all-granted ledger item': toLedgerItem({
    ...chunk,
    accountId: 'mallory',
    outcome: allGranted,
    rows: [{ id: 'a', cost: 10_000 }],
  }),
  'a policy': { ...keys.policy('mallory'), policy: { dailyLimit: 1_000_000 } },
  'an account': { ...keys.account('mallory'), rev: 1 },
  'a header': { ...keys.header(bookingKey), bookingId, accountId: 'mallory' },
  'a hop': { ...keys.hop(chunk), hop: 1 },
} as const;
type Forged = keyof typeof forged;

async function clientOf(role: string): Promise<DynamoDBDocumentClient> {
  const config = { ...localClientConfig(endpoint), region: aws.region, credentials: await userOfRole(endpoint, role) };
  return DynamoDBDocumentClient.from(new DynamoDBClient(config));
}

function keyOf({ pk, sk }: Record<string, unknown>): ItemKey {
  return { pk: String(pk), sk: String(sk) };
}

/** Every way to write an item, or to delete it. */
function writesOf(what: Forged) {
  const Item = forged[what];
  const Key = keyOf(Item);
  const UpdateExpression = 'SET forged = :forged';
  return [
    new PutCommand({ TableName, Item }),
    new UpdateCommand({ TableName, Key, UpdateExpression, ExpressionAttributeValues: { ':forged': true } }),
    new BatchWriteCommand({ RequestItems: { [TableName]: [{ PutRequest: { Item } }] } }),
    new BatchWriteCommand({ RequestItems: { [TableName]: [{ DeleteRequest: { Key } }] } }),
  ] as const;
}

async function expectRefused(client: DynamoDBDocumentClient, what: Forged): Promise<void> {
  for (const write of writesOf(what)) {
    const sent: Promise<unknown> = client.send(write as PutCommand);
    await expect(sent, `${write.constructor.name} of ${what}`).rejects.toThrow(
      expect.objectContaining({ name: expect.stringContaining('AccessDenied') }),
    );
  }
  const { Item } = await operator.dynamoDb.send(new GetCommand({ TableName, Key: keyOf(forged[what]) }));
  expect(Item).toBeUndefined();
}

describe("with intake's role alone", async () => {
  const client = await clientOf('IntakeRole');

  test.each<Forged>(['an all-granted ledger item', 'a policy', 'an account', 'a hop'])('nobody can write %s', (what) =>
    expectRefused(client, what),
  );

  test('a header can be written, and what is decided read: it is the key that is refused', async () => {
    const Item = forged['a header'];
    await client.send(new PutCommand({ TableName, Item }));
    const Keys = [keys.account('mallory'), keys.policy('mallory'), keys.header(bookingKey)];
    const { Responses } = await client.send(new BatchGetCommand({ RequestItems: { [TableName]: { Keys } } }));
    expect(Responses?.[TableName]).toEqual([Item]);
    const { dynamoDb } = operator;
    const DeleteRequest = { Key: keyOf(Item) };
    await dynamoDb.send(new BatchWriteCommand({ RequestItems: { [TableName]: [{ DeleteRequest }] } }));
  });
});

describe("with the worker's role alone", async () => {
  const client = await clientOf('WorkerRole');

  test.each<Forged>(['a policy', 'a header', 'a hop'])('nobody can write %s', (what) => expectRefused(client, what));

  test('a ledger item can be deleted, which no condition can keep from it, and accounts and policies read', async () => {
    const DeleteRequest = { Key: keyOf(forged['an all-granted ledger item']) };
    await client.send(new BatchWriteCommand({ RequestItems: { [TableName]: [{ DeleteRequest }] } }));
    const Keys = [keys.account('mallory'), keys.policy('mallory'), keys.ledger(chunk)];
    const { Responses } = await client.send(new BatchGetCommand({ RequestItems: { [TableName]: { Keys } } }));
    expect(Responses?.[TableName]).toEqual([]);
  });
});

describe("with the pacer's role alone", async () => {
  const client = await clientOf('PacerRole');

  test.each<Forged>(['an all-granted ledger item', 'a policy', 'an account', 'a header'])(
    'nobody can write %s',
    (what) => expectRefused(client, what),
  );
});
