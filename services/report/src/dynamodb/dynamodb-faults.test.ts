import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, PutCommand } from '@aws-sdk/lib-dynamodb';
import { UnprocessedError } from '@usher/limiter-core/bulk';
import { documentTranslation } from '@usher/limiter-core/bulk/dynamodb';
import { startDynalite } from '@usher/loopback/testing';
import { beforeEach, expect, onTestFinished, test } from 'vitest';
import { factsKeptMs, noRuns } from '../store/runs.ts';
import { quarantined, TestReport } from '../testing/test-report.ts';
import { DynamoDbEventFacts } from './dynamodb-event-facts.ts';
import { DynamoDbRuns } from './dynamodb-runs.ts';
import { reportKeys, reportTableDefinition } from './table-definition.ts';

const tableName = 'usher-reports';
const day = { date: '2026-11-29', timezone: 'UTC' };
const begun = { run: 1, nowMs: 5, attempt: 'a-1', leaseUntilMs: 9, deadLetters: [] };

let base: DynamoDBClient;
let client: DynamoDBDocumentClient;
let facts: DynamoDbEventFacts;
let runs: DynamoDbRuns;

beforeEach(async () => {
  const dynalite = await startDynalite({ tableName, ...reportTableDefinition });
  onTestFinished(dynalite.close);
  base = dynalite.client();
  client = DynamoDBDocumentClient.from(base, documentTranslation);
  facts = new DynamoDbEventFacts({ client, tableName, retry: { sleep: async () => undefined, random: () => 0 } });
  runs = new DynamoDbRuns({ client, tableName });
});

/** Every put is made twice, as by a client that repeats a call whose answer was lost. */
function loseAnswers(): void {
  base.middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        if (commandName === 'PutItemCommand') await next(args);
        return next(args);
      },
    { step: 'initialize', priority: 'low' },
  );
}

/** Batches are served but for those puts that a text is in, as where one partition is throttled. */
function leaveUnprocessed(text: string): void {
  base.middlewareStack.add(
    (next) => async (args) => {
      if (!('RequestItems' in args.input) || !JSON.stringify(args.input).includes(text)) return next(args);
      return { response: {}, output: { $metadata: {}, UnprocessedItems: args.input.RequestItems } };
    },
    { step: 'initialize', priority: 'low' },
  );
}

test('a partition is read to its end, also where it has more than a page of 1 MB', async () => {
  const ids = Array.from({ length: 5 }, (_, at) => `account-${at}`);
  for (const sk of ids) {
    const Item = { pk: reportKeys.accountsPartition(0), sk, filler: 'x'.repeat(390_000) };
    await client.send(new PutCommand({ TableName: tableName, Item }));
  }
  const found: string[] = [];
  for await (const accountId of facts.accounts(0)) found.push(accountId);
  expect(found).toEqual(ids);
});

test('everything in the table is read consistently', async () => {
  const reads: unknown[] = [];
  base.middlewareStack.add(
    (next) => async (args) => {
      reads.push('ConsistentRead' in args.input && args.input.ConsistentRead);
      return next(args);
    },
    { step: 'initialize' },
  );
  await facts.usage('acme', day.date);
  await facts.quarantined(day.date);
  await facts.marks();
  await runs.read(day);
  await runs.ofDate(day.date);
  await runs.progress();
  await runs.corrections(day.timezone);
  expect(reads).toEqual(Array(7).fill(true));
});

test('a write of which the answer was lost is the own one', async () => {
  loseAnswers();
  const written = { ...noRuns(day), begun };
  expect(await runs.write(written)).toBe(true);
  expect(await runs.write({ ...written, begun: { ...begun, attempt: 'a-2' } })).toBe(false);
  expect(await runs.write({ ...written, rev: 1, lookedAtMs: 7 })).toBe(true);
  expect(await runs.read(day)).toMatchObject({ rev: 2, lookedAtMs: 7 });
  const file = { ...day, number: 1, path: '2026-11-29/UTC/corrections-1-a.json' };
  expect(await runs.addCorrection(file)).toBe(true);
  expect(await runs.addCorrection({ ...file, path: '2026-11-29/UTC/corrections-1-b.json' })).toBe(false);
  expect(await runs.carryCorrection(file, '2026-12-03')).toBe(true);
  expect(await runs.carryCorrection(file, '2026-12-04')).toBe(false);
});

test('accounts and marks that were not put fail the call; of facts those fail that were not put', async () => {
  leaveUnprocessed('unlucky');
  await expect(facts.noteAccounts(['unlucky'])).rejects.toThrow(UnprocessedError);
  await expect(
    facts.noteLate([{ accountId: 'unlucky', bookingId: `bk_${'a'.repeat(35)}`, storedAtMs: 1 }]),
  ).rejects.toThrow(UnprocessedError);
  const world = new TestReport();
  world.restart({ facts });
  const events = [...(await world.book({ accountId: 'unlucky' })), ...(await world.book({ accountId: 'acme' }))];
  const messages = events.map((event) => world.message(event));
  // Both went in one call, which was left as a whole; alone, the second is put.
  expect((await world.consume(...messages)).batchItemFailures).toHaveLength(2);
  expect((await world.consume(...messages.slice(1))).batchItemFailures).toEqual([]);
  expect(await facts.usage('unlucky', day.date)).toEqual([]);
  expect(await facts.usage('acme', day.date)).toHaveLength(1);
});

test('a quarantine event goes long after it came, though its message was accepted long before', async () => {
  const world = new TestReport();
  world.restart({ facts });
  const items: Record<string, unknown>[] = [];
  base.middlewareStack.add(
    (next) => async (args) => {
      if ('RequestItems' in args.input) items.push(JSON.parse(JSON.stringify(args.input.RequestItems)));
      return next(args);
    },
    { step: 'initialize' },
  );
  await world.deliver([quarantined({ occurredAt: '2026-11-29T11:59:59.000Z' })]);
  const expiresAtSeconds = Math.ceil((world.clock() + factsKeptMs) / 1000);
  expect(JSON.stringify(items)).toContain(`"expiresAt":${expiresAtSeconds}`);
});
