import { expect, test, vi } from 'vitest';
import { receiveBatch, sendRaw } from '../support/case.ts';
import { loadLambda } from '../support/lambda-intake.ts';
import { startWorld, visibilityMs, type World } from '../support/world.ts';

const secrets = { details: 'p4ssp0rt', rowId: 'r0w-n4m3', token: 't0k3n', secretKey: 's3cr3t-k3y', junk: 'jun"}\n{k' };
const context = { getRemainingTimeInMillis: () => 30_000 };

/** Loads the worker's Lambda with the environment that intake's was loaded with, and its own. */
async function loadWorker({
  endpoints,
  queues,
}: World): Promise<typeof import('../../services/worker/src/handler.ts')> {
  const environment = {
    USHER_BUS: 'usher',
    USHER_DISPATCH_QUEUE_URL: queues.dispatch.url,
    USHER_PACING_QUEUE_URL: queues.pacing.url,
    USHER_QUARANTINE_QUEUE_URL: queues.quarantine.url,
    AWS_ENDPOINT_URL_EVENTBRIDGE: endpoints.eventBridgeUrl,
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  return import('../../services/worker/src/handler.ts');
}

/** Everything that this process writes from now on, line by line. */
function capture(): string[] {
  const written: string[] = [];
  for (const stream of [process.stdout, process.stderr]) {
    vi.spyOn(stream, 'write').mockImplementation((text) => written.push(...String(text).trimEnd().split('\n')) > 0);
  }
  return written;
}

/** A whole flow in both Lambdas, with and without failures; every line they log at their most talkative. */
async function logOfAWholeFlow(): Promise<string[]> {
  const world = await startWorld({ ada: { dailyLimit: 2 } });
  const lines = capture();
  const ask = await loadLambda(world, {
    POWERTOOLS_LOG_LEVEL: 'DEBUG',
    POWERTOOLS_METRICS_DISABLED: 'false',
    POWERTOOLS_METRICS_NAMESPACE: 'Usher',
    AWS_SECRET_ACCESS_KEY: secrets.secretKey,
  });
  const { settleHandler, paceHandler } = await loadWorker(world);
  const reservations = [1, 2, 3].map((n) => ({ id: `${secrets.rowId}-${n}`, details: { passport: secrets.details } }));
  const submit = (key: string, body: string) =>
    ask({
      method: 'POST',
      path: '/v1/bookings',
      claims: { sub: 'ada' },
      headers: { 'content-type': 'application/json', 'idempotency-key': key, authorization: `Bearer ${secrets.token}` },
      body,
    });
  const settle = async (): Promise<void> => {
    await settleHandler(await receiveBatch(world), context);
    world.clock.advance(visibilityMs);
  };
  const good = JSON.stringify({ reservations });

  expect((await submit('good', good)).status).toBe(202);
  expect((await submit('bad', JSON.stringify({ reservations, [secrets.junk]: secrets.junk }))).status).toBe(422);
  await sendRaw(world, 'eve', JSON.stringify({ v: secrets.junk, reservations }), 'bad');
  await settle();
  // Each call fails in turn, at every attempt.
  for (const operation of [
    'PutItem',
    'SendMessageBatch',
    'UpdateItem',
    'BatchGetItem',
    'BatchWriteItem',
    'PutEvents',
  ]) {
    world.intercept((call) =>
      call.operation === operation ? { status: 500, type: 'InternalServerError', message: 'no' } : 'pass',
    );
    await submit(`failing-${operation}`, good);
    await settle();
    await paceHandler(await receiveBatch(world), context);
    world.intercept(() => 'pass');
  }
  vi.restoreAllMocks();
  return lines;
}

test('no line of a whole flow, its failures included, holds details, row ids, tokens or keys; each is one JSON line', async () => {
  const lines = await logOfAWholeFlow();
  const text = lines.join('\n');
  // The flow did log: what it did, what it refused, what failed.
  for (const part of [
    'booking accepted',
    'Chunk settled',
    'A message is quarantined',
    'booking not enqueued',
    'Events were not taken',
    'BookingsAccepted',
  ]) {
    expect(text).toContain(part);
  }
  for (const [kind, secret] of Object.entries(secrets)) expect(text.includes(secret), kind).toBe(false);
  expect(text).not.toContain('jun');
  for (const line of lines) expect(() => JSON.parse(line), line).not.toThrow();
});
