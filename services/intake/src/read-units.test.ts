import { BatchWriteCommand, type DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { BookingAccepted, BookingStatus } from '@usher/contracts';
import { toLedgerItem } from '@usher/limiter-core/bulk/dynamodb/items';
import { expect, test } from 'vitest';
import { tableName } from './testing/dynalite-table.ts';
import { outcomeOf } from './testing/ledger.ts';
import { list } from './testing/lists.ts';
import { startIntake, type TestIntake } from './testing/start-intake.ts';

const chunks = 100;
const reservations = Array.from({ length: 10_000 }, (_, row) => ({
  id: `DTWLAS-${String(Math.floor(row / 100) + 1).padStart(4, '0')}-${String(row % 100).padStart(4, '0')}`,
}));

/** Has DynamoDB tell the units of every read, and adds them up; the answer takes the sum since the last time. */
function meterReads(client: DynamoDBDocumentClient): () => number {
  let units = 0;
  client.middlewareStack.add(
    (next, { commandName = '' }) =>
      async (args) => {
        const isRead = ['GetItemCommand', 'BatchGetItemCommand', 'QueryCommand'].includes(commandName);
        const asking = { ...args, input: { ...args.input, ...(isRead && { ReturnConsumedCapacity: 'TOTAL' }) } };
        const result = await next(asking);
        if (isRead) units += unitsOf(result.output);
        return result;
      },
    { step: 'initialize', name: 'meterReads' },
  );
  return () => {
    const sum = units;
    if (sum === 0) throw new Error('no read was metered');
    units = 0;
    return sum;
  };
}

function unitsOf(output: object): number {
  const { ConsumedCapacity }: { ConsumedCapacity?: unknown } = output;
  if (ConsumedCapacity === undefined) throw new Error('a read tells no units');
  const each: { CapacityUnits?: number }[] = [ConsumedCapacity ?? []].flat();
  return each.reduce((sum, { CapacityUnits = 0 }) => sum + CapacityUnits, 0);
}

/** A booking of 10,000 rows of which the first so many chunks are decided, each with one rejection among its rows. */
async function booked(intake: TestIntake, key: string, decided: number): Promise<string> {
  const { bookingId } = BookingAccepted.assert(await (await intake.submit({ reservations }, { key })).json());
  const items = Array.from({ length: decided }, (_, chunkIndex) => {
    const rows = reservations.slice(chunkIndex * 100, chunkIndex * 100 + 100).map(({ id }) => ({ id, cost: 1 }));
    const outcome = outcomeOf(rows.map((_, row) => (row === 99 ? 'daily_quota_exceeded' : null)));
    return toLedgerItem({ bookingId, chunkIndex, accountId: 'acme', outcome, rows });
  });
  for (let at = 0; at < items.length; at += 25) {
    const puts = items.slice(at, at + 25).map((Item) => ({ PutRequest: { Item } }));
    await intake.table.client.send(new BatchWriteCommand({ RequestItems: { [tableName]: puts } }));
  }
  return bookingId;
}

const submission = { burst: 100_000, refillPerSecond: 100_000 };

test('a status page of a thousand rows of a decided booking of ten thousand takes at most 6 read units', async () => {
  const intake = await startIntake({ submission });
  const bookingId = await booked(intake, 'large', chunks);
  await intake.fetch(`/v1/bookings/${bookingId}`);
  const units = meterReads(intake.table.client);
  for (const cursor of [0, 4000, 9000]) {
    const response = await intake.fetch(`/v1/bookings/${bookingId}?cursor=${cursor}`);
    const page = BookingStatus.assert(await response.json());
    expect(page).toMatchObject({ status: 'decided', counts: { granted: 9900, rejected: 100 } });
    expect(page.reservations.length).toBe(1000);
    expect(units()).toBeLessThanOrEqual(6);
  }
});

test('a list of twenty decided bookings of ten thousand rows takes at most 25 read units', async () => {
  const intake = await startIntake({ submission });
  for (let at = 0; at < 20; at++) await booked(intake, `large-${at}`, chunks);
  await list(intake);
  const units = meterReads(intake.table.client);
  const { bookings } = await list(intake);
  expect(bookings.map(({ status, granted }) => [status, granted])).toEqual(new Array(20).fill(['decided', 9900]));
  expect(units()).toBeLessThanOrEqual(25);
});

test('the first page of an undecided booking reads what is not counted yet, once', async () => {
  const intake = await startIntake({ submission });
  const bookingId = await booked(intake, 'large', 50);
  const units = meterReads(intake.table.client);
  const ask = async (): Promise<[BookingStatus['counts'], number]> => {
    const response = await intake.fetch(`/v1/bookings/${bookingId}`);
    return [BookingStatus.assert(await response.json()).counts, units()];
  };
  const counts = { total: 10_000, granted: 4950, rejected: 50, pending: 5000 };
  const [first, firstUnits] = await ask();
  const [second, secondUnits] = await ask();
  expect([first, second]).toEqual([counts, counts]);
  expect(firstUnits).toBeLessThanOrEqual(10);
  expect(secondUnits).toBeLessThanOrEqual(4);
});
