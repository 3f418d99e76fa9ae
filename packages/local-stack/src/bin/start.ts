import { resolve } from 'node:path';
import { systemClock } from '@usher/limiter-core';
import { type } from 'arktype';
import { DataFolderInUse, DataFolderUnusable } from '../endpoints/database.ts';
import { PortUnavailableError } from '../intake-server.ts';
import { requireNode } from '../node-version.ts';
import { loadPolicies, PolicyFileError } from '../policies.ts';
import { type Stack, startStack } from '../stack.ts';
import { createStackLog } from '../stack-log.ts';

/** `pnpm start`: the embedded stack until Ctrl-C. */
const Environment = type({
  'PORT?': type('string.integer.parse').to('0 <= number <= 65535'),
  'USHER_DATA?': 'string > 0',
  'USHER_POLICIES?': 'string > 0',
});

/** The environment is not understood. */
class EnvironmentError extends Error {
  override readonly name = 'EnvironmentError';
}

requireNode();
try {
  const stack = await start();
  const stop = (): void => {
    console.error('Stopping; a second Ctrl-C ends at once, and loses nothing either.');
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.removeListener(signal, stop);
    stack.close().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stop);
} catch (error) {
  fail(error);
}

async function start(): Promise<Stack> {
  const env = Environment({
    ...(process.env.PORT && { PORT: process.env.PORT }),
    ...(process.env.USHER_DATA && { USHER_DATA: process.env.USHER_DATA }),
    ...(process.env.USHER_POLICIES && { USHER_POLICIES: process.env.USHER_POLICIES }),
  });
  if (env instanceof type.errors) throw new EnvironmentError(`Environment: ${env.summary}`);
  const dataDir = resolve(env.USHER_DATA ?? '.usher');
  const stack = await startStack({
    dataDir,
    port: env.PORT ?? 8787,
    policies: await loadPolicies(env.USHER_POLICIES),
    clock: systemClock,
    log: createStackLog((line) => console.error(line)),
  });
  console.log(welcome(stack, { dataDir, policies: env.USHER_POLICIES }));
  return stack;
}

function welcome(
  { url, endpoints, queues }: Stack,
  { dataDir, policies }: { dataDir: string; policies: string | undefined },
): string {
  const auth = `-H 'Authorization: Bearer dev:demo-agency'`;
  return `
Usher is at ${url}   (data in ${dataDir}, policies ${policies ?? 'built in'}; Ctrl-C to stop)

Submit a booking, look at it by the path in its Location header, and at the quota:

  curl -i ${url}/v1/bookings ${auth} \\
    -H 'Content-Type: application/json' -H 'Idempotency-Key: try-1' \\
    -d '{"reservations":[{"id":"A-17","cost":2},{"id":"A-18","cost":4}]}'
  curl ${url}/v1/bookings ${auth}
  curl ${url}/v1/quota ${auth}
  curl ${url}/openapi.json

In place of AWS (any credentials, region eu-central-1):
  DynamoDB     ${endpoints.dynamoDbUrl}
  SQS          ${endpoints.sqsUrl}
  EventBridge  ${endpoints.eventBridgeUrl}
Granted reservations arrive at  ${queues.dispatch.url}
and events at                   ${queues.events.url}
`;
}

function fail(error: unknown): never {
  const expected = [PolicyFileError, PortUnavailableError, DataFolderInUse, DataFolderUnusable, EnvironmentError];
  const told = error instanceof Error && expected.some((kind) => error instanceof kind);
  console.error(told ? error.message : error);
  process.exit(1);
}
