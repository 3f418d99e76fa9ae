import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { bookingKeyOf, dayIndexKeys, dayShardOf, type HeaderItem } from '@usher/contracts';
import { builtInPolicy, UnprocessedError, windowAt } from '@usher/limiter-core/bulk';
import { DynamoDbAccountStore, documentTranslation, keys, tableDefinition } from '@usher/limiter-core/bulk/dynamodb';
import { startDynalite } from '@usher/loopback/testing';
import { type LogEntry, recordingLog } from '@usher/service/testing';
import { expect, onTestFinished, test } from 'vitest';
import { type DaysUnderTest, daysContract, type ToldHeader } from '../store/days.contract.ts';
import { DynamoDbDays } from './dynamodb-days.ts';

const tableName = 'usher';
const retry = { sleep: async () => undefined, random: () => 0 };
const { byDay } = tableDefinition;

interface DynamoDbDaysUnderTest extends DaysUnderTest {
  readonly logged: LogEntry[];
  readonly base: DynamoDBClient;
  put(item: Record<string, unknown>): Promise<void>;
}

async function start(): Promise<DynamoDbDaysUnderTest> {
  const logged: LogEntry[] = [];
  const dynalite = await startDynalite({ tableName, ...tableDefinition });
  onTestFinished(dynalite.close);
  const base = dynalite.client();
  const client = DynamoDBDocumentClient.from(base, documentTranslation);
  const put = async (Item: Record<string, unknown>): Promise<void> =>
    void (await client.send(new PutCommand({ TableName: tableName, Item })));
  const indexed = ({ partition, sort }: { partition: string; sort: string }) => ({
    [byDay.partitionKey]: partition,
    [byDay.sortKey]: sort,
  });
  return {
    days: new DynamoDbDays({ client, tableName, defaultPolicy: builtInPolicy, retry, log: recordingLog(logged) }),
    logged,
    base,
    store: new DynamoDbAccountStore({ client, tableName, retry }),
    put,
    putHeader: (header) =>
      put({
        ...keys.header(bookingKeyOf(header.bookingId)),
        ...headerItem(header),
        ...indexed(dayIndexKeys.header(header)),
      }),
    putPolicy: (accountId, policy) =>
      put({ ...keys.policy(accountId), policy, ...indexed(dayIndexKeys.policy(accountId)) }),
  };
}

function headerItem(header: ToldHeader): HeaderItem {
  return { ...header, mode: 'partial', digest: 'd'.repeat(64), nonce: 'n', expiresAt: 1_900_000_000 };
}

daysContract('DynamoDbDays', start);

test('a ledger with an entry that cannot be read is none', async () => {
  const { days, put } = await start();
  await put({ pk: keys.ledgerPartition('bk_a'), sk: 'c#00000', outcome: 'odd' });
  expect(await days.ledger('bk_a')).toBeUndefined();
});

test('what cannot be read from the index is logged, and hides no other', async () => {
  const { days, put, putHeader, putPolicy, logged } = await start();
  const header = {
    accountId: 'acme',
    bookingId: `bk_${'a'.repeat(35)}`,
    acceptedAt: '1970-01-01T00:00:00.000Z',
    window: windowAt(0, 'UTC'),
    cut: '1',
    total: 1,
    state: 'accepted',
  } as const;
  await putHeader(header);
  const keysOf = dayIndexKeys.header(header);
  const odd: Record<string, unknown>[] = [
    { acceptedAt: undefined },
    { cut: '' },
    { cut: '3x' },
    { window: { ...header.window, timezone: 'Mars/Olympus' } },
    { [byDay.sortKey]: 'acme' },
    { [byDay.sortKey]: `a/b#${header.bookingId}` },
    { [byDay.sortKey]: `${keysOf.sort}#more` },
  ];
  for (const [at, fields] of odd.entries()) {
    const index = { [byDay.partitionKey]: keysOf.partition, [byDay.sortKey]: keysOf.sort };
    await put({ pk: `booking#odd${at}`, sk: 'header', ...headerItem(header), ...index, ...fields });
  }
  const found: string[] = [];
  for await (const { bookingId } of days.bookings('1970-01-01', dayShardOf('acme'))) found.push(bookingId);
  expect(found).toEqual([header.bookingId]);
  expect(logged.map(({ message }) => message)).toEqual(
    Array(odd.length).fill('A booking cannot be read from the index of days'),
  );
  await putPolicy('acme', { dailyLimit: 3 });
  await put({
    ...keys.policy('odd'),
    policy: {},
    [byDay.partitionKey]: dayIndexKeys.policyPartition,
    [byDay.sortKey]: 'no account',
  });
  const accountIds: string[] = [];
  for await (const { accountId } of days.policies()) accountIds.push(accountId);
  expect(accountIds).toEqual(['acme']);
  expect(logged.at(-1)?.message).toBe('A policy in the index of days names no account');
});

test('an account that is left unread is no account without a counter: the read fails', async () => {
  const { days, base } = await start();
  base.middlewareStack.add(
    () => async (args) => ({
      response: {},
      output: { $metadata: {}, UnprocessedKeys: 'RequestItems' in args.input ? args.input.RequestItems : {} },
    }),
    { step: 'initialize', priority: 'low' },
  );
  await expect(days.accounts(['acme'])).rejects.toThrow(UnprocessedError);
});
