import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { newCommand, Option, readCommandLine, runCommand, UsageError } from '@usher/cli';
import { type } from 'arktype';
import { apiCall } from '../lib/verify/api-call.ts';
import { awsResources } from '../lib/verify/aws-deployment.ts';
import { checkBooking } from '../lib/verify/check-booking.ts';
import { checkPolicies } from '../lib/verify/check-policies.ts';
import { checkResources } from '../lib/verify/check-resources.ts';
import { DeploymentError } from '../lib/verify/errors.ts';

const Environment = type({
  USHER_TOKEN: 'string > 0',
  /** An emulator's address, in place of AWS's own. */
  'AWS_ENDPOINT_URL?': 'string.url',
});

await runCommand({ name: 'verify-deployment', told: [DeploymentError] }, main);

async function main(args: readonly string[]): Promise<number> {
  const { stage } = readArguments(args);
  const env = Environment(process.env);
  if (env instanceof type.errors) throw new UsageError(env.summary);

  const stackName = `usher-${stage}`;
  const resources = awsResources();
  const outputs = await checkResources(resources, stackName);
  console.log(
    `Stack ${stackName}: the tables, the bucket, the bus and all queues are there, and the functions know them.`,
  );

  const { accounts, isComplete } = await checkPolicies(resources, outputs);
  console.log(`Policies: those of ${accounts} accounts can be read over this deployment's default.`);
  if (!isComplete) console.log('The table has more pages than were read: policies behind them are told at run time.');

  const { bookingId, accountId, decision } = await checkBooking({
    call: apiCall(outputs.ApiUrl, env.AWS_ENDPOINT_URL),
    token: env.USHER_TOKEN,
    idempotencyKey: `deployment-check-${randomUUID()}`,
    sleep,
  });
  console.log(
    `Booking ${bookingId} of account ${accountId} was accepted, decided (${decision}), read back and handed on.`,
  );
  return 0;
}

function readArguments(args: readonly string[]) {
  const command = newCommand(
    'verify-deployment',
    'Checks a deployed stack: its resources, and one booking through it. USHER_TOKEN holds a token of the issuer.',
  ).addOption(new Option('--stage <stage>', 'which stack').choices(['dev', 'prod']).default('dev' as const));
  readCommandLine(command, args);
  return command.opts();
}
