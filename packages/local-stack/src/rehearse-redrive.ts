import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { SQS } from '@aws-sdk/client-sqs';
import { keys } from '@usher/limiter-core/bulk/dynamodb';
import { localClientConfig } from '@usher/loopback';
import { type } from 'arktype';
import { RehearsalError } from './errors.ts';
import { tableName } from './resources.ts';

export interface RehearsalOptions {
  /** The three addresses of a started stack. */
  readonly apiUrl: string;
  readonly sqsUrl: string;
  readonly dynamoDbUrl: string;
  readonly log: (line: string) => void;
}

const Accepted = type({ bookingId: 'string' });
const Status = type({ status: 'string', reservations: 'unknown[]' });

const accountId = 'rehearsal';
const headers = { Authorization: `Bearer dev:${accountId}`, 'Content-Type': 'application/json' };

/** In seconds, above what a redrive takes on a busy machine. */
const maxWaits = 120;

/**
 * The runbook's rehearsal of a redrive: an unreadable policy makes a chunk fail, which dies after two receives instead
 * of 600; the policy is mended, the dead letter redriven, and the chunk decided.
 *
 * @throws RehearsalError where the stack does not come so far
 */
export async function rehearseRedrive({ apiUrl, sqsUrl, dynamoDbUrl, log }: RehearsalOptions): Promise<void> {
  const sqs = new SQS(localClientConfig(sqsUrl));
  const table = new DynamoDB(localClientConfig(dynamoDbUrl));
  const urlOf = (queue: string) => `${sqsUrl}/000000000000/usher-${queue}.fifo`;
  const attributesOf = async (queue: string) =>
    (await sqs.getQueueAttributes({ QueueUrl: urlOf(queue), AttributeNames: ['All'] })).Attributes ?? {};
  const setRedrivePolicy = (RedrivePolicy: string) =>
    sqs.setQueueAttributes({ QueueUrl: urlOf('bookings'), Attributes: { RedrivePolicy } });

  const { QueueArn: dead = '' } = await attributesOf('bookings-dead');
  const { RedrivePolicy: before = '' } = await attributesOf('bookings');
  const { pk, sk } = keys.policy(accountId);
  const policyKey = { pk: { S: pk }, sk: { S: sk } };

  await setRedrivePolicy(JSON.stringify({ deadLetterTargetArn: dead, maxReceiveCount: 2 }));
  const isDecided = async (bookingId: string) => (await statusOf(apiUrl, bookingId)).status === 'decided';
  const first = await submit(apiUrl); // Intake remembers the account's policy for 30 s, and accepts what follows.
  await until(
    'decided',
    () => isDecided(first),
    () => undefined,
  );
  await table.putItem({
    TableName: tableName,
    Item: { ...policyKey, policy: { M: { dailyLimt: { N: '0' } } } },
  });
  const bookingId = await submit(apiUrl);
  await until('dead', async () => (await attributesOf('bookings-dead')).ApproximateNumberOfMessages === '1', log);

  await table.deleteItem({ TableName: tableName, Key: policyKey });
  await setRedrivePolicy(before);
  await sqs.startMessageMoveTask({ SourceArn: dead, MaxNumberOfMessagesPerSecond: 10 });
  await until('decided', () => isDecided(bookingId), log);
  log(JSON.stringify((await statusOf(apiUrl, bookingId)).reservations));
  log(JSON.stringify((await sqs.listMessageMoveTasks({ SourceArn: dead })).Results));
}

/** Submits a booking of one reservation; answers its id. */
async function submit(apiUrl: string): Promise<string> {
  const id = randomUUID();
  const answer = await fetch(`${apiUrl}/v1/bookings`, {
    method: 'POST',
    headers: { ...headers, 'Idempotency-Key': id },
    body: JSON.stringify({ reservations: [{ id }] }),
  });
  return Accepted.assert(await answer.json()).bookingId;
}

async function statusOf(apiUrl: string, bookingId: string): Promise<typeof Status.infer> {
  return Status.assert(await (await fetch(`${apiUrl}/v1/bookings/${bookingId}`, { headers })).json());
}

/** Looks once a second until it is so, and says it. */
async function until(state: string, isSo: () => Promise<boolean>, log: RehearsalOptions['log']): Promise<void> {
  for (let waits = 0; !(await isSo()); waits++) {
    if (waits === maxWaits) throw new RehearsalError(`Within ${maxWaits} s the chunk was not ${state}`);
    await sleep(1000);
  }
  log(state);
}
