import { type DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { BookingAccepted } from '@usher/contracts';
import { tableDefinition } from '@usher/limiter-core/bulk/dynamodb';
import { expect, test } from 'vitest';
import { tableName } from './testing/dynalite-table.ts';
import { startIntake } from './testing/start-intake.ts';

const { indexName } = tableDefinition.byDay;
const writes = ['PutItemCommand', 'UpdateItemCommand', 'BatchWriteItemCommand'];

/**
 * Adds up the write units of the index `byDay`, which no stand-in for DynamoDB tells: after each write of the table the index is
 * read, and an entry that came, went or changed takes a unit for each KB of it (developer guide, "Write capacity units for a global
 * secondary index"). As JSON an entry is longer than DynamoDB counts it.
 */
function meterIndex(client: DynamoDBDocumentClient): { units: number; writes: number } {
  const meter = { units: 0, writes: 0 };
  let before = new Set<string>();
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const result = await next(args);
        if (!writes.includes(commandName)) return result;
        meter.writes++;
        const { Items = [] } = await client.send(new ScanCommand({ TableName: tableName, IndexName: indexName }));
        const now = new Set(Items.map((item) => JSON.stringify(item)));
        const changed = [...now, ...before].filter((entry) => !now.has(entry) || !before.has(entry));
        for (const entry of changed) meter.units += Math.ceil(Buffer.byteLength(entry) / 1024);
        before = now;
        return result;
      },
    { step: 'initialize', name: 'meterIndex' },
  );
  return meter;
}

test.each([1, 1_000, 10_000])('a booking of %i rows takes one write unit of the index of days', async (rows) => {
  const intake = await startIntake({ submission: { burst: 100_000, refillPerSecond: 100_000 } });
  const meter = meterIndex(intake.table.client);
  const reservations = Array.from({ length: rows }, (_, row) => ({ id: `DTWLAS-${row}` }));
  const answer = await intake.submit({ reservations });
  expect(answer.status).toBe(202);
  BookingAccepted.assert(await answer.json());
  // The header's put, and its updates, which the index does not see.
  expect(meter.writes).toBeGreaterThan(1);
  expect(meter.units).toBe(1);
});
