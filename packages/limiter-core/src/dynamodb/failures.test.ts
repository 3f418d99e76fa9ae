import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { localClientConfig } from '@usher/loopback';
import { fakeDynamoDb } from '@usher/loopback/testing';
import { expect, test } from 'vitest';
import { virtualClock } from '../clock.ts';
import { OverloadedError, StoreUnavailableError } from '../limiter/errors.ts';
import { createLimiter } from '../limiter/limiter.ts';
import type { Limits } from '../limiter/store.ts';
import { fixedWindow } from '../limiter/strategies/window.ts';
import { dynamoDb } from './dynamodb.ts';
import type { DynamoDbSender } from './options.ts';
import { record } from './testing/tables.ts';

const tableName = 'limits';
const keys = { tableName, partitionKey: 'pk' };
const limits: Limits = {
  limiter: 'api',
  key: 'acme',
  policies: [{ name: 'minute', strategy: fixedWindow({ limit: 5, windowMs: 60_000 }) }],
  nowMs: Date.parse('2026-11-30T12:00:00Z'),
};

/** An answer of DynamoDB that is an error. */
const refusal = (name: string, status: number) => ({
  status,
  body: { __type: `com.amazonaws.dynamodb.v20120810#${name}`, message: name },
});

/** A store whose first requests fail; the pauses that it made, and the number of requests. */
function failing(failures: readonly (ReturnType<typeof refusal> | Error | 'reply lost')[], attempts = 2) {
  const pauses: number[] = [];
  const left = [...failures];
  const made = { requests: 0 };
  const fake = fakeDynamoDb([keys], {
    trip: async (_operation, serve) => {
      made.requests++;
      const failure = left.shift();
      if (failure === undefined) return serve();
      if (failure === 'reply lost') {
        serve();
        throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
      }
      if (failure instanceof Error) throw failure;
      return failure;
    },
  });
  // The store's own attempts are looked at, without the SDK's below them.
  const { requestHandler } = fake.client().config;
  const client = new DynamoDBClient({ ...localClientConfig('http://127.0.0.1:1'), maxAttempts: 1, requestHandler });
  const retry = { sleep: async (ms: number) => void pauses.push(ms), random: () => 0.5 };
  return { store: dynamoDb({ tableName, client, attempts, retry }), pauses, made };
}

const throttling = [
  'ProvisionedThroughputExceededException',
  'ThrottlingException',
  'RequestLimitExceeded',
  'ReplicatedWriteConflictException',
  'TransactionConflictException',
];

test.each(throttling)('%s on every attempt refuses the key as overloaded', async (name) => {
  const { store, pauses, made } = failing([refusal(name, 400), refusal(name, 400)]);
  await expect(store.take(limits, 1)).rejects.toThrow(OverloadedError);
  expect([made.requests, pauses]).toEqual([2, [10]]);
});

test('what passes by the second attempt is not seen', async () => {
  for (const failure of [
    refusal('ThrottlingException', 400),
    refusal('InternalServerError', 500),
    new Error('reset'),
  ]) {
    const { store } = failing([failure]);
    expect((await store.take(limits, 1)).taken).toBe(true);
  }
});

test.each([
  refusal('InternalServerError', 500),
  refusal('ServiceUnavailable', 503),
  Object.assign(new Error('timed out'), { name: 'TimeoutError' }),
  Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }),
])('a service that cannot be asked is unavailable, with the cause (%#)', async (failure) => {
  const { store } = failing([failure, failure]);
  const error: unknown = await store.take(limits, 1).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(StoreUnavailableError);
  expect(error).toMatchObject({ cause: expect.any(Error) });
});

test.each([
  'AccessDeniedException',
  'ResourceNotFoundException',
  'ValidationException',
  'UnrecognizedClientException',
  'ExpiredTokenException',
])('%s is thrown as it is, at once', async (name) => {
  const { store, made } = failing([refusal(name, 400)]);
  await expect(store.take(limits, 1)).rejects.toMatchObject({ name });
  expect(made.requests).toBe(1);
});

test.each(['CredentialsProviderError', 'TokenProviderError'])('%s is thrown as it is', async (name) => {
  const { store } = failing([Object.assign(new Error('none'), { name })]);
  await expect(store.take(limits, 1)).rejects.toMatchObject({ name });
});

test('nothing is asked for a caller that is gone, and the others of its batch get their answer', async () => {
  const gone = new AbortController();
  gone.abort();
  const { store, made } = failing([]);
  const answers = await Promise.allSettled([
    store.take({ ...limits, signal: gone.signal }, 1),
    store.take({ ...limits, signal: new AbortController().signal }, 1),
  ]);
  expect(answers).toMatchObject([
    { status: 'rejected', reason: { name: 'StoreUnavailableError' } },
    { status: 'fulfilled', value: { taken: true, states: [{ used: 1 }] } },
  ]);
  expect(made.requests).toBe(1);
});

test('a limiter on a missing table throws, whatever its fail policy; on a table that fails it opens', async () => {
  const clock = virtualClock(limits.nowMs);
  const strategy = fixedWindow({ limit: 5, windowMs: 60_000 });
  const missing = createLimiter({ strategy, clock, store: failing([refusal('ResourceNotFoundException', 400)]).store });
  await expect(missing.check('acme')).rejects.toMatchObject({ name: 'ResourceNotFoundException' });
  const down = createLimiter({ strategy, clock, store: failing([new Error('x'), new Error('x')]).store });
  expect(await down.check('acme')).toMatchObject({ allowed: true, degraded: true, reason: 'unavailable' });
  const hot = createLimiter({ strategy, clock, store: failing([refusal('ThrottlingException', 400)], 1).store });
  expect(await hot.check('acme')).toMatchObject({ allowed: false, reason: 'overloaded' });
});

test.each(throttling.slice(0, 3))('%s refuses the key at once, also by a client that would try again', async (name) => {
  const trip = async () => refusal(name, 400);
  const { requestHandler } = fakeDynamoDb([keys], { trip }).client().config;
  const client = new DynamoDBClient({ ...localClientConfig('http://127.0.0.1:1'), maxAttempts: 3, requestHandler });
  const attempts = record(client);
  const store = dynamoDb({ tableName, client });
  const pause = new Promise<never>(() => undefined);
  const limiter = createLimiter({ strategy: fixedWindow({ limit: 5, windowMs: 60_000 }), store, delay: () => pause });
  expect(await limiter.check('acme')).toMatchObject({ allowed: false, reason: 'overloaded' });
  expect(attempts).toHaveLength(1);
});

test('a request that was signed at a wrong time is repeated at the right one', async () => {
  const { store, made } = failing([
    Object.assign(new Error('expired'), {
      name: 'InvalidSignatureException',
      $metadata: { httpStatusCode: 400, clockSkewCorrected: true },
    }),
  ]);
  expect((await store.take(limits, 1)).taken).toBe(true);
  expect(made.requests).toBe(2);
});

test('a call that a client never ends keeps nobody behind it waiting', async () => {
  const fake = fakeDynamoDb([keys]).client();
  const answers = [new Promise<never>(() => undefined)];
  const send = (...args: unknown[]): unknown => answers.pop() ?? Reflect.apply(fake.send, fake, args);
  const store = dynamoDb({ tableName, client: { send } as DynamoDbSender });
  const deadline = new AbortController();
  const first = store.take({ ...limits, signal: deadline.signal }, 1);
  await expect.poll(() => answers).toEqual([]);
  const second = store.take({ ...limits, signal: new AbortController().signal }, 1);
  deadline.abort();
  await expect(first).rejects.toThrow(StoreUnavailableError);
  expect(await second).toMatchObject({ taken: true, states: [{ used: 1 }] });
});
