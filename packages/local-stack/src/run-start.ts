import { once } from 'node:events';
import { systemClock } from '@usher/limiter-core';
import { errorFields } from '@usher/service';
import { loadPolicies } from './policies.ts';
import { type Stack, startStack } from './stack.ts';
import { createStackLog } from './stack-log.ts';
import { describePolicyChanges } from './stored-policies.ts';

export interface StartArguments {
  /** The port of the HTTP API; 0 for a free one. */
  readonly port: number;
  readonly dataDir: string;
  /** A policy file; undefined leaves the stored policies as they are. */
  readonly policies: string | undefined;
}

/** The embedded stack until the signal is aborted, with a text that says how to use it. Answers the exit code. */
export async function runStart({ port, dataDir, policies }: StartArguments, signal: AbortSignal): Promise<number> {
  const log = createStackLog((line) => console.error(line));
  const stack = await startStack({
    dataDir,
    port,
    policies: policies === undefined ? undefined : await loadPolicies(policies),
    clock: systemClock,
    log,
  });
  console.log(welcome(stack, { dataDir, policies }));
  // A day that ended while nothing ran has its report now, not at the next quarter of an hour.
  stack.closeDays().catch((error) => log.error('The days that are over could not be closed', errorFields(error)));
  if (!signal.aborted) await once(signal, 'abort');
  console.error('Stopping. A second Ctrl-C ends it at once; nothing is lost either way.');
  await stack.close();
  return 0;
}

function welcome(
  { url, endpoints, queues, reportsDir, policies: changes }: Stack,
  { dataDir, policies }: { dataDir: string; policies: string | undefined },
): string {
  const auth = `-H 'Authorization: Bearer dev:demo-agency'`;
  return `
Usher is at ${url}   (data in ${dataDir}; Ctrl-C to stop)
${describePolicyChanges(changes, policies)}

Submit a booking, list the bookings, read the quota. The Location header of the answer is the booking's own path.

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
Reports of days that are over are written below  ${reportsDir}
Granted reservations arrive at  ${queues.dispatch.url}
and events at                   ${queues.events.url}
`;
}
