import { once } from 'node:events';
import { resolve } from 'node:path';
import { aPath, newCommand, Option, readCommandLine, runCommand, wholeNumber } from '@usher/cli';
import { systemClock } from '@usher/limiter-core';
import { DataFolderInUseError, DataFolderUnusableError } from '../endpoints/database.ts';
import { PortUnavailableError } from '../intake-server.ts';
import { loadPolicies, PolicyFileError } from '../policies.ts';
import { type Stack, startStack } from '../stack.ts';
import { createStackLog } from '../stack-log.ts';
import { describePolicyChanges } from '../stored-policies.ts';

/** Where the stack keeps its data unless it is told: in the workspace, whichever folder it was started from. */
const defaultDataDir = resolve('.usher');

/** `pnpm start`: the embedded stack until Ctrl-C. */
await runCommand(
  {
    name: 'start',
    refused: [PolicyFileError],
    told: [PortUnavailableError, DataFolderInUseError, DataFolderUnusableError],
    heedsSignal: true,
  },
  main,
);

async function main(args: readonly string[], signal: AbortSignal): Promise<number> {
  const { port, data, policies } = readArguments(args);
  const dataDir = resolve(data ?? defaultDataDir);
  const stack = await startStack({
    dataDir,
    port,
    policies: policies === undefined ? undefined : await loadPolicies(policies),
    clock: systemClock,
    log: createStackLog((line) => console.error(line)),
  });
  console.log(welcome(stack, { dataDir, policies }));
  if (!signal.aborted) await once(signal, 'abort');
  console.error('Stopping; a second Ctrl-C ends at once, and loses nothing either.');
  await stack.close();
  return 0;
}

function readArguments(args: readonly string[]) {
  const command = newCommand(
    'start',
    'Runs the embedded stack until Ctrl-C. Started again with the same data, it resumes.',
  )
    .addOption(
      new Option('--port <number>', 'port of the HTTP API on 127.0.0.1; 0 for any free one')
        .env('PORT')
        .default(8787)
        .argParser(wholeNumber(0, 65_535)),
    )
    .addOption(
      new Option('--data <folder>', 'where everything is kept (default: .usher in the workspace)')
        .env('USHER_DATA')
        .argParser(aPath),
    )
    .addOption(
      new Option('--policies <file.json>', '{"default": {policy}, "accounts": {"<id>": {policy}}}')
        .env('USHER_POLICIES')
        .argParser(aPath),
    );
  readCommandLine(command, args);
  return command.opts();
}

function welcome(
  { url, endpoints, queues, policies: changes }: Stack,
  { dataDir, policies }: { dataDir: string; policies: string | undefined },
): string {
  const auth = `-H 'Authorization: Bearer dev:demo-agency'`;
  return `
Usher is at ${url}   (data in ${dataDir}; Ctrl-C to stop)
${describePolicyChanges(changes, policies)}

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
