import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { record } from './testing/test-report.ts';

/** Operations that reached AWS, each of which is answered with nothing found and nothing refused. */
const calls: string[] = [];
const printed: string[] = [];
let server: Server;

beforeEach(async () => {
  server = createServer((request, response) => {
    calls.push(String(request.headers['x-amz-target']));
    request.resume().on('end', () => response.setHeader('content-type', 'application/x-amz-json-1.0').end('{}'));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the endpoint has no port');
  const url = `http://127.0.0.1:${address.port}`;
  vi.resetModules();
  const environment = {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'a',
    AWS_SECRET_ACCESS_KEY: 'b',
    AWS_ENDPOINT_URL: url,
    POWERTOOLS_DEV: 'true',
    POWERTOOLS_METRICS_DISABLED: 'false',
    POWERTOOLS_METRICS_NAMESPACE: 'Usher',
    USHER_TABLE: 'usher',
    USHER_REPORT_TABLE: 'usher-reports',
    USHER_REPORT_BUCKET: 'reports',
    USHER_BUS: 'usher-bus',
    USHER_DEAD_LETTER_QUEUE_URLS: `${url}/0/dead`,
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const print = (...line: unknown[]): void => void printed.push(line.join(' '));
  for (const method of ['log', 'info', 'warn', 'error'] as const) vi.spyOn(console, method).mockImplementation(print);
});

afterEach(() => {
  server.closeAllConnections();
  server.close();
  calls.length = 0;
  printed.length = 0;
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test('the consumer is wired to log and metrics, and hands back what it cannot read', async () => {
  const { consumeHandler } = await import('./handler.ts');
  const answer = await consumeHandler({ Records: [record('bad', 0, '{')] });
  expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'bad' }] });
  expect(printed.find((line) => line.includes('"Namespace":"Usher"'))).toMatch(/"FactFailures":1\b/);
  expect(printed.some((line) => line.includes('An event could not be stored') && line.includes('bad'))).toBe(true);
});

test('the closer is wired to both tables', async () => {
  const { closeHandler } = await import('./handler.ts');
  expect(await closeHandler()).toEqual({ told: [] });
  expect(new Set(calls)).toEqual(
    new Set(['GetItem', 'PutItem', 'Query'].map((operation) => `DynamoDB_20120810.${operation}`)),
  );
  expect(printed.find((line) => line.includes('"Namespace":"Usher"'))).toContain('CloseDuration');
});

test('a missing variable keeps the handlers from starting, by name', async () => {
  vi.stubEnv('USHER_REPORT_BUCKET', undefined);
  await expect(import('./handler.ts')).rejects.toThrow('USHER_REPORT_BUCKET');
});
