import { bookingIdOf, bookingKeyFor, eventIds, type QuotaUsageRecorded } from '@usher/contracts';
import { systemClock, systemRetry, toRfc3339, virtualClock, windowOn } from '@usher/limiter-core/bulk';
import { silentMeter } from '@usher/service';
import type { SQSRecord } from 'aws-lambda';
import { createReport } from '../create-report.ts';
import { DynamoDbEventFacts } from '../dynamodb/dynamodb-event-facts.ts';
import { countingTable } from '../testing/counting-table.ts';
import { record, TestReport } from '../testing/test-report.ts';

/**
 * Measures the consumer of ten thousand accounts with a hundred chunks each, in batches as Lambda hands them out, one after another
 * in one process: seconds, peak memory, calls and write units. The table takes everything and keeps nothing. The messages are made
 * on the way; what that takes alone is told first.
 */
const accounts = 10_000;
const chunks = 100;
const batchSize = 10;
const date = '2026-11-29';
const window = windowOn(date, 'UTC');
const noonMs = Date.parse(`${date}T12:00:00.000Z`);

/** Chunk by chunk, the accounts of each mixed as on a bus that many use at once. */
function* messages(): Generator<SQSRecord> {
  for (let chunk = 0; chunk < chunks; chunk++) {
    for (let at = 0; at < accounts; at++) yield message(`agency-${String(at).padStart(5, '0')}`, chunk);
  }
}

function message(accountId: string, chunk: number): SQSRecord {
  const bookingId = bookingIdOf(bookingKeyFor(accountId, 'key'), noonMs);
  const isRefusing = chunk % 4 === 0;
  const detail: QuotaUsageRecorded = {
    metadata: {
      id: eventIds.usage({ bookingId, chunkIndex: chunk }),
      occurredAt: toRfc3339(noonMs + chunk + 250),
      schemaVersion: 1,
      correlationId: bookingId,
    },
    data: {
      accountId,
      bookingId,
      chunk,
      acceptedAt: toRfc3339(noonMs),
      decidedAt: toRfc3339(noonMs + chunk + 250),
      window,
      limit: 100_000,
      used: 300 * (chunk + 1),
      mode: 'enforce',
      granted: { count: isRefusing ? 80 : 100, cost: isRefusing ? 240 : 300 },
      rejected: isRefusing
        ? { count: 20, cost: 60, byReason: { daily_quota_exceeded: { count: 20, cost: 60 } } }
        : { count: 0, cost: 0, byReason: {} },
    },
  };
  const id = `00000000-0000-4000-8000-${chunk}${accountId.slice(-5)}`;
  return record(id, noonMs + chunk + 500, {
    version: '0',
    id,
    'detail-type': 'Quota Usage Recorded',
    source: 'usher.quota',
    account: '000000000000',
    time: toRfc3339(noonMs),
    region: 'eu-central-1',
    resources: [],
    detail,
  });
}

async function measured(name: string, consume: (batch: SQSRecord[]) => Promise<void>): Promise<void> {
  const beganMs = systemClock();
  const before = process.cpuUsage();
  let batch: SQSRecord[] = [];
  for (const one of messages()) {
    if (batch.push(one) < batchSize) continue;
    await consume(batch);
    batch = [];
  }
  if (batch.length > 0) await consume(batch);
  const { user, system } = process.cpuUsage(before);
  const seconds = `${((user + system) / 1e6).toFixed(0)} s of processor, ${((systemClock() - beganMs) / 1000).toFixed(0)} s`;
  console.log(`${name}: ${seconds}, at most ${(process.resourceUsage().maxRSS / 1024).toFixed(0)} MB`);
}

const { client, counts } = countingTable();
const world = new TestReport();
const { consume } = createReport({
  ...world.ports(),
  facts: new DynamoDbEventFacts({ client, tableName: 'usher-reports', retry: systemRetry }),
  clock: virtualClock(noonMs + 60_000),
  meter: silentMeter,
});
await measured('messages alone', async () => undefined);
await measured(`${accounts} accounts × ${chunks} chunks, ${batchSize} a batch`, async (Records) => {
  const { batchItemFailures } = await consume({ Records });
  if (batchItemFailures.length > 0) throw new Error('an event was not stored');
});
const { calls, items, units, bytes } = counts;
console.log(`${calls} calls, ${items} items, ${units} write units, ${(bytes / items).toFixed(0)} bytes an item`);
