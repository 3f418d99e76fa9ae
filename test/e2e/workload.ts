import { SendMessageCommand } from '@aws-sdk/client-sqs';
import { type PolicyOverrides, readPolicyFile } from '@usher/limiter-core/bulk';
import { storePolicies } from '@usher/local-stack';
import type { Accepted } from '../support/first-fit.ts';
import { until } from '../support/until.ts';
import { type Answer, acceptedOf, readStatus, submit } from './api.ts';
import { operator, outputs } from './deployment.ts';

interface Partner {
  readonly accountId: string;
  /** Its policy; fields left out fall back to the deployment's default. */
  readonly policy: PolicyOverrides & { readonly dailyLimit: number };
  /** Rows of each booking, in the order of submission. */
  readonly bookings: readonly number[];
  /** A row's cost by its place in the booking. */
  readonly costOf: (row: number) => number;
}

const mixed = (row: number): number => 1 + (row % 3);
const steady = { dailyLimit: 3000, refillPerSecond: 150, burst: 100 };

/** A refill so slow that the last slots are further away than SQS can delay a message. */
export const slow: Partner = {
  accountId: 'museum-pass',
  policy: { dailyLimit: 2000, refillPerSecond: 0.5, burst: 20 },
  bookings: [300, 200, 100],
  costOf: () => 1,
};

/** 5,000 rows in all; the festival agency's cost is more than it may spend. */
const partners: readonly Partner[] = [
  { accountId: 'city-tours', policy: steady, bookings: [500, 350, 350], costOf: mixed },
  { accountId: 'coach-operator', policy: steady, bookings: [1000, 1, 199], costOf: mixed },
  { accountId: 'ferry-line', policy: steady, bookings: [333, 333, 334], costOf: mixed },
  {
    accountId: 'festival-agency',
    policy: { dailyLimit: 900, refillPerSecond: 60, burst: 50 },
    bookings: [400, 400, 200],
    costOf: mixed,
  },
  slow,
];

export const accountIds: ReadonlySet<string> = new Set(partners.map(({ accountId }) => accountId));
export const limits = Object.fromEntries(partners.map(({ accountId, policy }) => [accountId, policy.dailyLimit]));
export const rowCount = partners.flatMap(({ bookings }) => bookings).reduce((total, rows) => total + rows, 0);

/** A row's details, handed on to the booking system. */
export function detailsOf(rowId: string): Record<string, unknown> {
  return { seat: `S-${rowId}`, guests: [{ name: 'Zoë' }, { name: 'Ömer' }], exact: 0.5 };
}

/** A body that can never be decoded. */
export const poison = '{"kind":"chunk"';

export interface Submitted {
  readonly accepted: readonly Accepted[];
  /** The answer to the first booking, sent once more after all. */
  readonly repeat: Answer;
}

/** Lets the partners submit everything at the same time, each in order, with a poison message among it. */
export async function submitWorkload(): Promise<Submitted> {
  const policies = readPolicyFile({
    accounts: Object.fromEntries(partners.map(({ accountId, policy }) => [accountId, policy])),
  });
  await storePolicies(operator.dynamoDb, outputs.TableName, { policies, nowMs: Date.now() });
  await operator.sqs.send(
    new SendMessageCommand({
      QueueUrl: outputs.BookingsQueueUrl,
      MessageBody: poison,
      MessageGroupId: slow.accountId,
      MessageDeduplicationId: 'poison',
    }),
  );
  const accepted = (await Promise.all(partners.map(submitInOrder))).flat();
  const [first] = accepted;
  if (first === undefined) throw new Error('Nothing was submitted');
  return { accepted, repeat: await submitBooking(first) };
}

/** Waits until every row of these bookings is decided. */
export async function decided(accepted: readonly Accepted[]): Promise<void> {
  for (const { accountId, bookingId } of accepted) {
    await until(
      `booking ${bookingId} of ${accountId} is decided`,
      async () => ((await readStatus(accountId, bookingId)).status === 'decided' ? true : undefined),
      { tries: 1_200 },
    );
  }
}

async function submitInOrder({ accountId, bookings, costOf }: Partner): Promise<Accepted[]> {
  const accepted: Accepted[] = [];
  for (const [i, rows] of bookings.entries()) {
    const bulk = { accountId, key: `${accountId}-${i}`, costs: Array.from({ length: rows }, (_, row) => costOf(row)) };
    accepted.push({ ...bulk, bookingId: acceptedOf(await submitBooking(bulk)).bookingId });
  }
  return accepted;
}

function submitBooking({ accountId, key, costs }: Omit<Accepted, 'bookingId'>): Promise<Answer> {
  const reservations = costs.map((cost, row) => {
    const id = `${key}-${row}`;
    return { id, cost, details: detailsOf(id) };
  });
  return submit(accountId, key, { reservations });
}
