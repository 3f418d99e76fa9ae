import { Problem, Quota } from '@usher/contracts';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { startTable, type TestTable, tableName } from './testing/dynalite-table.ts';
import { httpApiEvent, lambdaContext } from './testing/http-api-event.ts';

let table: TestTable;
let invoke: typeof import('./handler.ts').handler;

// The module reads its environment when it is loaded, as it does in Lambda.
beforeAll(async () => {
  table = await startTable();
  const env = {
    USHER_TABLE: tableName,
    USHER_BOOKINGS_QUEUE_URL: 'http://127.0.0.1:9/queue/bookings.fifo',
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_DYNAMODB: table.endpoint,
    POWERTOOLS_LOG_LEVEL: 'SILENT',
    POWERTOOLS_METRICS_DISABLED: 'true',
  };
  for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value);
  invoke = (await import('./handler.ts')).handler;
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await table.close();
});

test('the Lambda serves the same app to the account that the authorizer has verified', async () => {
  const event = httpApiEvent({ method: 'GET', path: '/v1/quota', claims: { sub: 'acme' } });
  const answer = await invoke(event, lambdaContext);
  expect(answer.statusCode).toBe(200);
  expect(Quota.assert(JSON.parse(answer.body))).toMatchObject({ accountId: 'acme', remaining: 1000 });
});

test('development tokens mean nothing to the Lambda', async () => {
  const headers = { authorization: 'Bearer dev:acme' };
  const answer = await invoke(httpApiEvent({ method: 'GET', path: '/v1/quota', headers }), lambdaContext);
  expect(answer.statusCode).toBe(401);
});

test('a body that API Gateway has encoded is read as it was sent', async () => {
  const answer = await invoke(
    httpApiEvent({
      method: 'POST',
      path: '/v1/bookings',
      claims: { sub: 'acme' },
      headers: { 'content-type': 'application/json', 'idempotency-key': 'k' },
      body: Buffer.from('{"reservations":[{"id":"ä"},{"id":7}]}').toString('base64'),
      isBase64Encoded: true,
    }),
    lambdaContext,
  );
  expect(answer.statusCode).toBe(422);
  expect(answer.headers?.['content-type']).toBe('application/problem+json');
  expect(Problem.assert(JSON.parse(answer.body))).toMatchObject({ errors: [{ pointer: '/reservations/1/id' }] });
});
