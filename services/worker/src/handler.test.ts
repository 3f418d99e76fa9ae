import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type AwsEndpoint, startAwsEndpoint } from './testing/aws-endpoint.ts';
import { batchOf } from './testing/messages.ts';
import { plentyOfTime } from './testing/test-worker.ts';

let aws: AwsEndpoint;
const printed: string[] = [];

beforeEach(async () => {
  aws = await startAwsEndpoint();
  vi.resetModules();
  const environment = {
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'a',
    AWS_SECRET_ACCESS_KEY: 'b',
    AWS_ENDPOINT_URL: aws.url,
    POWERTOOLS_DEV: 'true',
    POWERTOOLS_METRICS_DISABLED: 'false',
    POWERTOOLS_METRICS_NAMESPACE: 'Usher',
    USHER_TABLE: 'usher',
    USHER_BUS: 'usher-bus',
    USHER_DISPATCH_QUEUE_URL: `${aws.url}/0/dispatch`,
    USHER_PACING_QUEUE_URL: `${aws.url}/0/pacing`,
    USHER_QUARANTINE_QUEUE_URL: `${aws.url}/0/quarantine`,
  };
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value);
  const print = (...line: unknown[]): void => void printed.push(line.join(' '));
  for (const method of ['log', 'info', 'warn', 'error'] as const) vi.spyOn(console, method).mockImplementation(print);
});

afterEach(() => {
  aws.close();
  printed.length = 0;
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

test.each(['settleHandler', 'paceHandler'] as const)('%s is wired to queue, bus, log and metrics', async (name) => {
  const handlers = await import('./handler.ts');
  expect(await handlers[name](batchOf({ bad: '{' }), plentyOfTime)).toEqual({ batchItemFailures: [] });
  expect(aws.calls).toMatchObject([
    { operation: 'AmazonSQS.SendMessageBatch', input: { QueueUrl: `${aws.url}/0/quarantine` } },
    { operation: 'AWSEvents.PutEvents', input: { Entries: [{ EventBusName: 'usher-bus', Source: 'usher.quota' }] } },
  ]);
  expect(printed.find((line) => line.includes('"Namespace":"Usher"'))).toMatch(/"Quarantined":1\b/);
  expect(printed.some((line) => line.includes('A message is quarantined') && line.includes('bad'))).toBe(true);
});

test('near the deadline a handler hands its messages back and calls nobody', async () => {
  const { settleHandler } = await import('./handler.ts');
  const answer = await settleHandler(batchOf({ bad: '{' }), { getRemainingTimeInMillis: () => 1_000 });
  expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'bad' }] });
  expect(aws.calls).toEqual([]);
});

test('a missing variable keeps the handlers from starting, by name', async () => {
  vi.stubEnv('USHER_PACING_QUEUE_URL', undefined);
  await expect(import('./handler.ts')).rejects.toThrow('USHER_PACING_QUEUE_URL');
});
