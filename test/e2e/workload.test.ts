import { type Dispatch, dispatchIdOf, type Pacing, type QuotaUsageRecorded, type UsherEvent } from '@usher/contracts';
import { chunkIdOf } from '@usher/limiter-core/bulk';
import { beforeAll, expect, test } from 'vitest';
import { type Books, expectBalance } from '../support/books.ts';
import { firstFit } from '../support/first-fit.ts';
import { drain, messagesIn, readEvent, readTable } from '../support/read-back.ts';
import { acceptedOf, callAs, readStatus } from './api.ts';
import { operator, outputs } from './deployment.ts';
import { type Received, readPaced, readWaiting, receiveRows, type Waiting } from './handed-on.ts';
import { peek, worked } from './queues.ts';
import {
  accountIds,
  decided,
  detailsOf,
  limits,
  poison,
  rowCount,
  type Submitted,
  slow,
  submitWorkload,
} from './workload.ts';

const isPartner = (accountId: string | undefined): boolean => accountId !== undefined && accountIds.has(accountId);

let submitted: Submitted;
const events: UsherEvent[] = [];
let received: Received[];
let waiting: Waiting[];
let paced: Pacing[];

const limitOf = (accountId: string): number => limits[accountId] ?? Number.NaN;
const expectedRows = () => firstFit(submitted.accepted, limitOf).flatMap((chunk) => chunk.rows);

beforeAll(async () => {
  submitted = await submitWorkload();
  await decided(submitted.accepted);
  // A chunk is decided before its events and dispatches are sent, and its message deleted after.
  await worked(outputs.BookingsQueueUrl);
  paced = await readPaced();
  const fast = firstFit(submitted.accepted, limitOf).filter(({ accountId }) => accountId !== slow.accountId);
  const granted = fast.flatMap(({ rows }) => rows).filter(({ reason }) => reason === null);
  const fastIds = new Set(fast.map(({ accountId }) => accountId));
  // Other stories leave dispatches as well.
  received = (await receiveRows(granted.length, fastIds)).filter(({ dispatch }) => isPartner(dispatch.accountId));
  waiting = (await readWaiting()).filter(({ dispatch }) => isPartner(dispatch.accountId));
  await drain(operator, outputs.EventsQueueUrl, (body) => {
    const event = readEvent(body);
    if (!('accountId' in event.detail.data) || isPartner(event.detail.data.accountId)) events.push(event);
  });
});

test('5,000 rows are submitted, and each is answered as first fit decides it', async () => {
  expect(rowCount).toBe(5000);
  const pages = await Promise.all(
    submitted.accepted.map(({ accountId, bookingId }) => readStatus(accountId, bookingId)),
  );
  expect(pages.map(({ status, counts }) => ({ status, pending: counts.pending }))).toEqual(
    pages.map(() => ({ status: 'decided', pending: 0 })),
  );
  const decisions = pages.flatMap(({ reservations }) =>
    reservations.map((row) => ({ id: row.id, cost: row.cost, reason: row.decision === 'granted' ? null : row.reason })),
  );
  expect(decisions).toEqual(expectedRows());
});

test('exactly the partner that is over its quota has rows rejected', async () => {
  const rejecting = firstFit(submitted.accepted, limitOf).filter(({ rows }) =>
    rows.some(({ reason }) => reason === 'daily_quota_exceeded'),
  );
  expect(new Set(rejecting.map(({ accountId }) => accountId))).toEqual(new Set(['festival-agency']));
  const quota = JSON.parse((await callAs('festival-agency', '/v1/quota')).body);
  expect(quota).toMatchObject({ limit: 900, used: 900, remaining: 0 });
});

test('a booking sent once more after all is answered as before and changes nothing', () => {
  const [first] = submitted.accepted;
  expect(acceptedOf(submitted.repeat).bookingId).toBe(first?.bookingId);
  expect(submitted.repeat.headers).toMatchObject({ 'idempotency-replayed': 'true' });
});

test('the books balance: counters, ledger, events and what is handed on say the same', async () => {
  expectBalance(await readBooks(), submitted.accepted, limits);
});

test('an event that is on the bus twice, as its id says, says the same twice', () => {
  const first = new Map(events.toReversed().map((event) => [event.detail.metadata.id, event]));
  expect(events).toEqual(events.map(({ detail }) => first.get(detail.metadata.id)));
  // An emulator that answers late is asked again now and then; a worker that tells everything twice is none of that.
  expect(events.length).toBeLessThan(first.size * 1.5);
});

test('no dispatch can be received before it is due, and none waits longer than from its decision until then', () => {
  for (const { dispatch, atMs } of received) {
    expect(atMs, dispatch.dispatchId).toBeGreaterThanOrEqual(Date.parse(dispatch.dispatchAt));
  }
  const decidedAt = new Map(
    usageEvents().map(({ bookingId, chunk, decidedAt: at }) => [
      chunkIdOf({ bookingId, chunkIndex: chunk }),
      Date.parse(at),
    ]),
  );
  for (const { dispatch, fromMs, delaySeconds } of waiting) {
    const { dispatchId, dispatchAt } = dispatch;
    expect(fromMs - Date.parse(dispatchAt), dispatchId).toBeGreaterThan(-1000);
    // However slowly it was sent: its delay began no earlier than the decision, and is of whole seconds, as both instants are.
    const longestMs = Date.parse(dispatchAt) - (decidedAt.get(dispatchId.replace(/#\d+$/, '')) ?? Number.NaN);
    expect(delaySeconds, dispatchId).toBeLessThan(longestMs / 1000 + 2);
  }
});

test('a dispatch carries the details of its rows, and its account as message group', () => {
  const all = [...received, ...waiting].map(({ dispatch }) => dispatch);
  for (const { id, details } of all.flatMap(({ reservations }) => reservations)) {
    expect(details).toEqual(detailsOf(id));
  }
  expect(waiting.length).toBeGreaterThan(0);
  expect(waiting.map(({ group }) => group)).toEqual(waiting.map(({ dispatch }) => dispatch.accountId));
});

test('a row due later than SQS can delay a message waits in the pacing queue', () => {
  expect(paced.length).toBeGreaterThan(0);
  for (const { accountId, settledAt, reservations } of paced) {
    expect(accountId).toBe(slow.accountId);
    for (const { dispatchAt } of reservations) {
      expect(Date.parse(dispatchAt) - Date.parse(settledAt)).toBeGreaterThan(900_000);
    }
  }
});

test('the poison message, and nothing else, is in quarantine with its reason, and was told of', async () => {
  const quarantined = (await peek(outputs.QuarantineQueueUrl)).map(({ Body }) => JSON.parse(Body));
  expect(quarantined).toEqual([expect.objectContaining({ reason: 'invalid_json', body: poison })]);
  const told = events.flatMap((event) => (event.detailType === 'Message Quarantined' ? [event.detail.data] : []));
  // The body names nobody; its message group does.
  const { accountId } = slow;
  expect(told).toEqual([{ reason: 'invalid_json', messageId: quarantined[0].messageId, accountId }]);
});

test('nothing is dead', async () => {
  const dead = [
    outputs.BookingsDeadLettersUrl,
    outputs.DispatchDeadLettersUrl,
    outputs.PacingDeadLettersUrl,
    outputs.EventsDeadLettersUrl,
  ];
  expect(await Promise.all(dead.map((queue) => messagesIn(operator, queue)))).toEqual([0, 0, 0, 0]);
});

function usageEvents(): QuotaUsageRecorded['data'][] {
  return events.flatMap(({ detailType, detail }) => (detailType === 'Quota Usage Recorded' ? [detail.data] : []));
}

/** The books of the deployment's accounts. */
async function readBooks(): Promise<Books> {
  const { accounts, ledger } = await readTable(operator, outputs.TableName);
  const counters = [...accounts].map(([accountId, { usage }]) => {
    const total = (figure: 'used' | 'rejected') => [...usage.values()].reduce((sum, one) => sum + one[figure], 0);
    return [accountId, { used: total('used'), rejected: total('rejected') }] as const;
  });
  const handedOn = [...received, ...waiting].map(({ dispatch }) => dispatch);
  const dispatches = new Map(handedOn.map((dispatch) => [dispatch.dispatchId, dispatch]));
  // The pacer may have passed on by now what was paced a moment ago.
  const known = new Set(handedOn.flatMap(({ reservations }) => reservations.map(({ id }) => id)));
  for (const one of paced.map((pacing) => toDispatch(pacing, known))) dispatches.set(one.dispatchId, one);
  return {
    counters: new Map(counters.filter(([accountId]) => isPartner(accountId))),
    ledger: new Map(ledger.filter(({ accountId }) => isPartner(accountId)).map((entry) => [chunkIdOf(entry), entry])),
    events: new Map(events.map((event) => [event.detail.metadata.id, event])),
    dispatches,
    times: new Map(),
  };
}

/** The rows of a pacing message that are not handed on yet, as one dispatch of a slot that no chunk has. */
function toDispatch({ bookingId, chunk, accountId, reservations }: Pacing, known: ReadonlySet<string>): Dispatch {
  const rows = reservations.filter(({ id }) => !known.has(id));
  return {
    v: 1,
    dispatchId: dispatchIdOf({ bookingId, chunkIndex: chunk, slot: 999_999_999 }),
    bookingId,
    accountId,
    dispatchAt: reservations.at(-1)?.dispatchAt ?? '',
    reservations: rows.map(({ dispatchAt: _, ...row }) => row),
  };
}
