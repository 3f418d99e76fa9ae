import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { documentTranslation } from '@usher/limiter-core/bulk/dynamodb';
import { startDynalite } from '@usher/loopback/testing';
import { type } from 'arktype';
import { expect, onTestFinished, test } from 'vitest';
import { TestReport } from '../testing/test-report.ts';
import { DynamoDbEventFacts } from './dynamodb-event-facts.ts';
import { reportTableDefinition } from './table-definition.ts';

const tableName = 'usher-reports';
/** The write units that a thousand reservations cost at most; their header's index takes one more. */
const unitsMax = 11;

const Consumed = type({ ConsumedCapacity: type({ CapacityUnits: 'number' }).array() });

/** A store of facts, and the write units that its calls have taken. */
async function startCounting(): Promise<{ facts: DynamoDbEventFacts; units: () => number }> {
  const dynalite = await startDynalite({ tableName, ...reportTableDefinition });
  onTestFinished(dynalite.close);
  const base = dynalite.client();
  let units = 0;
  base.middlewareStack.add(
    (next) => async (args) => {
      const answer = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
      const { ConsumedCapacity } = Consumed.assert(answer.output);
      units += ConsumedCapacity.reduce((sum, { CapacityUnits }) => sum + CapacityUnits, 0);
      return answer;
    },
    { step: 'initialize' },
  );
  const client = DynamoDBDocumentClient.from(base, documentTranslation);
  const facts = new DynamoDbEventFacts({ client, tableName, retry: { sleep: async () => undefined, random: () => 0 } });
  return { facts, units: () => units };
}

test('a thousand reservations cost a unit a chunk and one for their account, whether granted or rejected', async () => {
  const { facts, units } = await startCounting();
  const world = new TestReport();
  world.restart({ facts });
  const rows = Array.from({ length: 100 }, (_, row) => [20, row % 2 === 0 ? null : 'daily_quota_exceeded'] as const);
  await world.deliver(await world.book({ accountId: 'agency-of-the-north', chunks: Array(10).fill(rows) }));
  expect(units()).toBeLessThanOrEqual(unitsMax);
  await world.deliver(await world.book({ accountId: 'agency-of-the-north', key: 'key-2', chunks: [rows] }));
  expect(units()).toBeLessThanOrEqual(unitsMax + 1);
});
