import { type Chunk, bookingIdOf as idAt } from '@usher/contracts';
import { type Outcome, windowAt } from '@usher/limiter-core/bulk';
import type { SQSEvent, SQSRecord } from 'aws-lambda';

/** Noon of the day that tests play on. */
export const noon = '2026-11-29T12:00:00.000Z';

/** A legal booking id for each number, accepted at noon unless told otherwise. */
export function bookingIdOf(n: number, acceptedAt = noon): string {
  const digits = n
    .toString(32)
    .replace(/[0-9a-v]/g, (digit) => 'abcdefghijklmnopqrstuvwxyz234567'[parseInt(digit, 32)] ?? '');
  return idAt(`bk_${digits.padStart(26, 'a')}`, Date.parse(acceptedAt));
}

/** A chunk of account `ada` with one row of cost 1, accepted at noon. */
export function chunkOf(fields: Partial<Chunk> = {}): Chunk {
  const acceptedAt = fields.acceptedAt ?? noon;
  return {
    v: 1,
    kind: 'chunk',
    bookingId: bookingIdOf(1, acceptedAt),
    chunk: 0,
    chunks: 1000,
    accountId: 'ada',
    acceptedAt,
    window: windowAt(Date.parse(acceptedAt), 'UTC'),
    mode: 'partial',
    reservations: [{ id: 'r-0', cost: 1 }],
    ...fields,
  };
}

/** Rows of the given costs, each with details that no log and no event may show. */
export function rowsOf(costs: readonly number[]): Chunk['reservations'] {
  return costs.map((cost, i) => ({ id: `r-${i}`, cost, details: { passport: secret } }));
}

/** A text of a partner, which must be seen in dispatches alone. */
export const secret = 'passport-C01X00T47';

/** A delivery as Lambda hands it over, received for the first time. Its group is the account unless told otherwise. */
export function deliveryOf(body: Chunk | string, messageId: string, groupId?: string, receives = 1): SQSRecord {
  const MessageGroupId = groupId ?? (typeof body === 'string' ? 'ada' : body.accountId);
  return {
    messageId,
    receiptHandle: `handle-${messageId}`,
    body: typeof body === 'string' ? body : JSON.stringify(body),
    attributes: {
      ApproximateReceiveCount: String(receives),
      SentTimestamp: String(Date.parse(noon)),
      SenderId: 'intake',
      ApproximateFirstReceiveTimestamp: String(Date.parse(noon)),
      MessageGroupId,
    },
    messageAttributes: {},
    md5OfBody: '',
    eventSource: 'aws:sqs',
    eventSourceARN: 'arn:aws:sqs:eu-central-1:000000000000:bookings.fifo',
    awsRegion: 'eu-central-1',
  };
}

/** A batch of deliveries by their names, each carrying its chunk or raw body. */
export function batchOf(bodies: Readonly<Record<string, Chunk | string>>): SQSEvent {
  return { Records: Object.entries(bodies).map(([messageId, body]) => deliveryOf(body, messageId)) };
}

/** An outcome settled at noon by the built-in policy, all rows granted. */
export function outcomeOf(costs: readonly number[], fields: Partial<Outcome> = {}): Outcome {
  return {
    digest: '0'.repeat(32),
    date: '2026-11-29',
    reasons: costs.map(() => null),
    usedBefore: 0,
    grantedCost: costs.reduce((total, cost) => total + cost, 0),
    rejectedCost: 0,
    limit: 1000,
    limitBefore: null,
    debtMicros: 0,
    refillPerSecond: 10,
    burst: 20,
    policyMode: 'enforce',
    thresholds: [0.8, 1],
    settledAtMs: Date.parse(noon),
    ...fields,
  };
}
