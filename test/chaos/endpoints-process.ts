import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { CreateQueueCommand, SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { readPolicyFile, systemClock } from '@usher/limiter-core/bulk';
import {
  createResources,
  type Fault,
  type InterceptedCall,
  startEndpoints,
  storePolicies,
  tableName,
} from '@usher/local-stack';
import { Prng } from '../simulation/prng.ts';
import { connectWith, noCrash } from '../support/process.ts';
import { type CallFault, type Hit, readCallFault, readEndpointsOrder } from './messages.ts';

/**
 * The endpoints in place of AWS, in a process of their own. Its first line tells their addresses, each later one a hit.
 * Each line of its input is a fault to inject.
 */
const { dataDir, policies, seed, diskFills } = readEndpointsOrder.assert(process.argv[2]);
const prng = new Prng(seed);
let active: (CallFault & { readonly untilMs: number })[] = [];
createInterface(process.stdin)
  .on('line', (line) => {
    const fault = readCallFault.assert(line);
    const nowMs = systemClock();
    active = [...active.filter(({ untilMs }) => untilMs > nowMs), { ...fault, untilMs: nowMs + fault.ms }];
  })
  // Whoever started this process is gone, as where it cannot be told anything any more.
  .on('close', () => process.exit(1));
process.stdout.on('error', () => process.exit(1));

const endpoints = await startEndpoints({
  dataDir,
  clock: systemClock,
  ttlSweepIntervalMs: 1_000,
  intercept,
  onError: (error) =>
    isDiskFull(error) ? tellHit('writes refused by the disk') : console.error('An endpoint failed:', error),
});
const { dynamoDbUrl, sqsUrl, eventBridgeUrl } = endpoints;
const urls = { dynamoDbUrl, sqsUrl, eventBridgeUrl };
const { clients, destroy } = connectWith(urls, {}, noCrash);
const queues = await createResources(clients);
await storePolicies(clients.dynamoDb, tableName, { policies: readPolicyFile(policies), nowMs: systemClock() });
process.stdout.write(`${JSON.stringify({ urls, queues })}\n`);
if (diskFills) await fillDisk(clients.sqs);
destroy();

async function intercept({ service, operation }: InterceptedCall): Promise<Fault> {
  const nowMs = systemClock();
  const fault = active.find((one) => one.service === service && one.untilMs > nowMs && prng.chance(one.rate));
  if (fault === undefined) return 'pass';
  if (fault.kind === 'refuse') {
    tellHit('calls refused');
    return refusals[service];
  }
  if (fault.kind === 'cut') {
    if (prng.chance(0.3)) {
      tellHit('requests cut');
      return 'drop-before';
    }
    // Told apart: the one write is what a client must not repeat blindly.
    tellHit(operation === 'UpdateItem' ? 'replies of UpdateItem cut' : 'replies cut');
    return 'drop-after';
  }
  tellHit('calls stalled');
  // Some longer than the services' clients wait: such a call is carried out when they have given it up.
  await pause(prng.int(300, 3_000));
  return 'pass';
}

function tellHit(hit: Hit): void {
  process.stdout.write(`${JSON.stringify({ hit })}\n`);
}

/** SQLite's SQLITE_FULL, or SQLITE_IOERR for a write that the system cut short at a limit. */
function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error && 'errcode' in error && typeof error.errcode === 'number')) return false;
  return [10, 13].includes(error.errcode & 0xff);
}

/**
 * Fills the disk, which is a limit on the size of each file: sends messages that nobody takes until not even a small one
 * is stored any more. No file of the table's ever grows so large, so that only the queues have a full disk.
 */
async function fillDisk(sqs: SQSClient): Promise<void> {
  const { QueueUrl } = await sqs.send(new CreateQueueCommand({ QueueName: 'chaos-ballast' }));
  for (const bytes of [200_000, 20_000, 2_000]) {
    let isFull = false;
    while (!isFull) {
      isFull = await sqs.send(new SendMessageCommand({ QueueUrl, MessageBody: 'x'.repeat(bytes) })).then(
        () => false,
        () => true,
      );
    }
  }
}

const refusals: Readonly<Record<CallFault['service'], Exclude<Fault, string>>> = {
  dynamodb: { status: 400, type: 'ProvisionedThroughputExceededException', message: 'Too much at once.' },
  sqs: { status: 503, type: 'ServiceUnavailable', message: 'Not now.' },
  eventbridge: { status: 500, type: 'InternalException', message: 'Not now.' },
};
