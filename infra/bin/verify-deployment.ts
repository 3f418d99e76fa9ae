import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { type } from 'arktype';
import { apiCall } from '../lib/verify/api-call.ts';
import { awsResources } from '../lib/verify/aws-deployment.ts';
import { checkBooking } from '../lib/verify/check-booking.ts';
import { checkResources } from '../lib/verify/check-resources.ts';
import { DeploymentError } from '../lib/verify/errors.ts';

const usage = 'USHER_TOKEN=<token of the issuer> pnpm run verify-deployment [--stage dev|prod]';

const Environment = type({
  USHER_TOKEN: 'string > 0',
  /** An emulator's address, in place of AWS's own. */
  'AWS_ENDPOINT_URL?': 'string.url',
});

async function main(): Promise<void> {
  const { values } = parseArgs({ options: { stage: { type: 'string', default: 'dev' } } });
  const env = Environment(process.env);
  if (env instanceof type.errors) throw new DeploymentError(`${env.summary}\nUsage: ${usage}`);

  const stackName = `usher-${values.stage}`;
  const outputs = await checkResources(awsResources(), stackName);
  console.log(`Stack ${stackName}: the table, the bus and all queues are there, and the functions know them.`);

  const { bookingId, accountId, decision } = await checkBooking({
    call: apiCall(outputs.ApiUrl, env.AWS_ENDPOINT_URL),
    token: env.USHER_TOKEN,
    idempotencyKey: `deployment-check-${randomUUID()}`,
    sleep,
  });
  console.log(
    `Booking ${bookingId} of account ${accountId} was accepted, decided (${decision}), read back and handed on.`,
  );
}

try {
  await main();
} catch (error) {
  console.error(error instanceof DeploymentError ? error.message : error);
  process.exitCode = 1;
}
