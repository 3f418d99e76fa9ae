import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { documentTranslation } from '@usher/limiter-core/bulk/dynamodb';
import { startDynalite } from '@usher/loopback/testing';
import { expect, onTestFinished, test } from 'vitest';
import { readDelivery } from '../read-delivery.ts';
import { eventFactsContract } from '../store/event-facts.contract.ts';
import { runsContract } from '../store/runs.contract.ts';
import { factsKeptMs } from '../store/runs.ts';
import { TestReport } from '../testing/test-report.ts';
import { DynamoDbEventFacts } from './dynamodb-event-facts.ts';
import { DynamoDbRuns } from './dynamodb-runs.ts';
import { reportTableDefinition } from './table-definition.ts';

const tableName = 'usher-reports';
const retry = { sleep: async () => undefined, random: () => 0 };

async function startTable() {
  const dynalite = await startDynalite({ tableName, ...reportTableDefinition });
  onTestFinished(dynalite.close);
  return { client: DynamoDBDocumentClient.from(dynalite.client(), documentTranslation), tableName, retry };
}

eventFactsContract('DynamoDbEventFacts', async () => new DynamoDbEventFacts(await startTable()));
runsContract('DynamoDbRuns', async () => new DynamoDbRuns(await startTable()));

test('the item of a whole chunk fits one write unit and goes after the archive does', async () => {
  const table = await startTable();
  const world = new TestReport();
  const rows = Array.from({ length: 100 }, () => [10_000, 'daily_quota_exceeded'] as const);
  const [event] = await world.book({ accountId: 'a'.repeat(128), chunks: [rows] });
  if (event === undefined) throw new Error('no event');
  const read = readDelivery(world.message(event));
  if (read?.kind !== 'usage') throw new Error('no usage');
  await new DynamoDbEventFacts(table).put({ usage: [read.fact], quarantined: [] });
  const answer = await table.client.send(new ScanCommand({ TableName: tableName, ReturnConsumedCapacity: 'TOTAL' }));
  const [item = {}] = answer.Items ?? [];
  // Names and texts in UTF-8, numbers at most as long as their digits (DynamoDB guide, "Item sizes and formats").
  const bytes = Object.entries(item).reduce((sum, [name, value]) => sum + name.length + String(value).length, 0);
  expect(bytes).toBeLessThan(1_024);
  expect(Number(item.expiresAt) * 1000).toBe(Date.parse('2026-11-30T00:00:00.000Z') + factsKeptMs);
});
