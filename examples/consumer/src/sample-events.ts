import type { SQSEvent } from 'aws-lambda';

/** The fields of a usage event that samples differ in. */
export interface Sample {
  readonly chunk: number;
  readonly granted: number;
  readonly rejected?: number;
  readonly used: number;
  readonly decidedAt: string;
}

export const sampleDay = { accountId: 'acme', date: '2026-11-29' } as const;

/** The detail of a usage event. */
export function sampleDetail({ chunk, granted, rejected = 0, used, decidedAt }: Sample) {
  const bookingId = `bk_${'a'.repeat(35)}`;
  const amount = (cost: number) => ({ count: cost === 0 ? 0 : 1, cost });
  const byReason = rejected === 0 ? {} : { daily_quota_exceeded: amount(rejected) };
  return {
    metadata: {
      id: `${bookingId}#${chunk}#usage`,
      occurredAt: decidedAt,
      schemaVersion: 1,
      correlationId: bookingId,
    },
    data: {
      accountId: sampleDay.accountId,
      bookingId,
      chunk,
      acceptedAt: '2026-11-29T11:59:59.000Z',
      decidedAt,
      window: {
        date: sampleDay.date,
        timezone: 'UTC',
        startsAt: '2026-11-29T00:00:00.000Z',
        resetsAt: '2026-11-30T00:00:00.000Z',
      },
      limit: 100,
      used,
      mode: 'enforce',
      granted: amount(granted),
      rejected: { ...amount(rejected), byReason },
    },
  };
}

/** The body of a message as a rule of EventBridge makes it. */
export function bodyOf(detail: object, detailType = 'Quota Usage Recorded'): string {
  return JSON.stringify({
    version: '0',
    id: '2c4a6e10-0000-4000-8000-000000000000',
    'detail-type': detailType,
    source: 'usher.quota',
    account: '123456789012',
    time: '2026-11-29T12:00:00Z',
    region: 'eu-central-1',
    resources: [],
    detail,
  });
}

/** A batch as Lambda hands it over, of bodies by message id. */
export function batchOf(bodies: Readonly<Record<string, string>>): SQSEvent {
  return {
    Records: Object.entries(bodies).map(([messageId, body]) => ({
      messageId,
      receiptHandle: messageId,
      body,
      attributes: {
        ApproximateReceiveCount: '1',
        SentTimestamp: '0',
        SenderId: 'events',
        ApproximateFirstReceiveTimestamp: '0',
      },
      messageAttributes: {},
      md5OfBody: '',
      eventSource: 'aws:sqs',
      eventSourceARN: 'arn:aws:sqs:eu-central-1:123456789012:events',
      awsRegion: 'eu-central-1',
    })),
  };
}
