import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  type Clock,
  calendarWindow,
  createLimiter,
  fixedWindow,
  gcra,
  slidingWindow,
  tokenBucket,
} from '@usher/limiter-core';
import { dynamoDb } from '@usher/limiter-core/dynamodb';

export interface LimitsOptions {
  readonly client: DynamoDBClient;
  readonly tableName: string;
  readonly clock?: Clock;
}

/** The limits of a service, in one table. Two limiters never share a key: each has a name of its own. */
export function createLimits({ client, tableName, ...clock }: LimitsOptions) {
  const store = dynamoDb({ client, tableName });
  // For a key that is asked for all the time: one call takes 50 in advance, which lose nothing but precision.
  const leased = dynamoDb({ client, tableName, lease: { size: 50, maxAgeMs: 1000 } });
  // Long enough for a busy machine; left out, the limiter waits for 250 ms and lets through.
  const common = { store, deadlineMs: 60_000, ...clock };
  return {
    logins: createLimiter({ ...common, name: 'logins', strategy: slidingWindow({ limit: 5, windowMs: 60_000 }) }),
    exports: createLimiter({ ...common, name: 'exports', strategy: fixedWindow({ limit: 2, windowMs: 3_600_000 }) }),
    mails: createLimiter({ ...common, name: 'mails', strategy: gcra({ limit: 60, periodMs: 60_000, burst: 3 }) }),
    api: createLimiter({
      ...common,
      name: 'api',
      strategy: (plan: 'free' | 'pro') => ({
        burst: tokenBucket({ capacity: plan === 'pro' ? 100 : 10, refillPerSecond: 5 }),
        day: calendarWindow({ limit: plan === 'pro' ? 50_000 : 1000, unit: 'day', timezone: 'Europe/Berlin' }),
      }),
    }),
    views: createLimiter({
      ...common,
      name: 'views',
      store: leased,
      strategy: fixedWindow({ limit: 10_000, windowMs: 60_000 }),
    }),
  };
}
