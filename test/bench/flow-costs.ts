import { readFileSync } from 'node:fs';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { type SendMessageBatchCommandInput, SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { BookingAccepted, Chunk, chunkDigest, Pacing } from '@usher/contracts';
import { createIntake } from '@usher/intake';
import { builtInPolicy, type ChunkToSettle, Settler, systemRetry, virtualClock } from '@usher/limiter-core/bulk';
import { DynamoDbAccountStore, DynamoDbHopStore, documentTranslation } from '@usher/limiter-core/bulk/dynamodb';
import { localClientConfig } from '@usher/loopback';
import { silentMeter } from '@usher/service';
import { createWorker } from '@usher/worker';
import type { SQSRecord } from 'aws-lambda';
import { newClient } from './client.ts';
import type { Cost, CostBounds } from './costs.ts';
import { meter, type Tally } from './meter.ts';
import { usherTable } from './tables.ts';

const url = 'http://127.0.0.1:1/queue';
const startMs = Date.parse('2026-11-29T12:00:00.000Z');
const log = { info: () => {}, warn: () => {}, error: () => {} };
const bookings = 20;
const rowsPerBooking = 10_000;

/** A client of the table, metered, and a queue that takes everything and keeps it. */
function startFlow(endpoint: string) {
  const base = newClient(endpoint);
  const takeTally = meter(base);
  const client = DynamoDBDocumentClient.from(base, documentTranslation);
  const bodies: string[] = [];
  const send = async ({ input: { Entries = [] } }: { input: SendMessageBatchCommandInput }) => {
    bodies.push(...Entries.map(({ MessageBody = '' }) => MessageBody));
    return { Successful: Entries.map(({ Id }) => ({ Id, MessageId: Id, MD5OfMessageBody: '' })), $metadata: {} };
  };
  const sqs = Object.assign(new SQSClient({ ...localClientConfig(url), md5: false }), { send });
  const accounts = new DynamoDbAccountStore({ client, tableName: usherTable });
  return { base, client, takeTally, bodies, sqs, accounts, clock: virtualClock(startMs) };
}

/** The cost of a page of 1,000 rows of a decided booking of 10,000, and of a list of 20 such bookings. */
export async function readCosts(endpoint: string): Promise<Cost[]> {
  const { base, client, takeTally, bodies, sqs, accounts, clock } = startFlow(endpoint);
  try {
    let attempts = 0;
    const app = createIntake({
      config: {
        tableName: usherTable,
        bookingsQueueUrl: url,
        defaultPolicy: builtInPolicy,
        submission: { burst: 1_000_000, refillPerSecond: 1_000_000 },
      },
      dynamoDb: client,
      sqs,
      authenticate: () => ({ accountId: 'reader' }),
      clock,
      randomId: () => `attempt-${++attempts}`,
      retry: systemRetry,
      log,
      meter: silentMeter,
    });
    const settler = new Settler({ store: accounts, clock, defaultPolicy: builtInPolicy });
    let bookingId = '';
    for (let at = 0; at < bookings; at++) {
      const answer = await app.request('/v1/bookings', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', 'Idempotency-Key': `booking-${at}` },
        body: JSON.stringify({ reservations: reservations() }),
      });
      ({ bookingId } = BookingAccepted.assert(await answer.json()));
      const chunks = bodies.splice(0).map(toSettle);
      for (let first = 0; first < chunks.length; first += 10)
        await settler.settle('reader', chunks.slice(first, first + 10));
    }
    const get = async (path: string): Promise<Tally> => {
      takeTally();
      const { status } = await app.request(path);
      if (status !== 200) throw new Error(`${path} was answered ${status}`);
      return takeTally();
    };
    // Whoever looks first keeps the counts in the headers; what is measured comes after.
    await get('/v1/bookings?limit=20');
    return [
      costOf('a status page of 1,000 rows, booking of 10,000', await get(`/v1/bookings/${bookingId}?cursor=4000`), {
        readUnits: 6,
      }),
      costOf('a list of 20 decided bookings of 10,000', await get('/v1/bookings?limit=20'), { readUnits: 25 }),
    ];
  } finally {
    base.destroy();
  }
}

/** The cost of one hop: a chunk's far slots come back from the pacing queue and are put there again. */
export async function hopCost(endpoint: string): Promise<Cost> {
  const { base, client, takeTally, bodies, sqs, accounts, clock } = startFlow(endpoint);
  const body = readFileSync(new URL('../golden/pacing.json', import.meta.url), 'utf8');
  const eventBridge = new EventBridgeClient(localClientConfig(url));
  try {
    const worker = createWorker({
      config: {
        tableName: usherTable,
        eventBusName: 'usher',
        dispatchQueueUrl: url,
        pacingQueueUrl: url,
        quarantineQueueUrl: url,
        defaultPolicy: builtInPolicy,
        deadlineMarginMs: 5_000,
      },
      accounts,
      hops: new DynamoDbHopStore({ client, tableName: usherTable }),
      sqs,
      eventBridge,
      clock,
      randomId: () => 'token',
      retry: systemRetry,
      log,
      meter: silentMeter,
    });
    await worker.pace({ Records: [recordOf(body)] }, { getRemainingTimeInMillis: () => 60_000 });
    const [putBack] = bodies.map((text) => Pacing.assert(JSON.parse(text)));
    if (putBack?.hop !== 1) throw new Error('the message was not put back');
    return costOf('a pacing hop of a chunk', takeTally(), { calls: 1, readUnits: 0, writeUnits: 1 });
  } finally {
    base.destroy();
    eventBridge.destroy();
  }
}

function costOf(name: string, { calls, readUnits, writeUnits }: Tally, bounds: CostBounds): Cost {
  return { name, per: 'one', calls, readUnits, writeUnits, bounds };
}

function reservations(): { id: string; cost: number }[] {
  return Array.from({ length: rowsPerBooking }, (_, row) => ({
    id: `DTWLAS-${String(Math.floor(row / 100) + 1).padStart(4, '0')}-${String(row % 100).padStart(4, '0')}`,
    cost: 1,
  }));
}

function toSettle(body: string): ChunkToSettle {
  const message = Chunk.assert(JSON.parse(body));
  const { bookingId, chunk: chunkIndex, acceptedAt, window, mode: bookingMode, reservations: rows } = message;
  const acceptedAtMs = Date.parse(acceptedAt);
  return { bookingId, chunkIndex, digest: chunkDigest(message), acceptedAtMs, date: window.date, bookingMode, rows };
}

function recordOf(body: string): SQSRecord {
  return {
    messageId: 'm',
    receiptHandle: 'h',
    body,
    attributes: {
      ApproximateReceiveCount: '1',
      SentTimestamp: String(startMs),
      SenderId: 'worker',
      ApproximateFirstReceiveTimestamp: String(startMs),
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-central-1:000000000000:pacing',
    awsRegion: 'eu-central-1',
  };
}
