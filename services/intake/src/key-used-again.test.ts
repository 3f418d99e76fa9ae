import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { BookingStatus, bookingIdOf, bookingKeyFor, listKeyOf } from '@usher/contracts';
import { retention, toRfc3339 } from '@usher/limiter-core/bulk';
import { tableDefinition } from '@usher/limiter-core/bulk/dynamodb';
import { expect, test } from 'vitest';
import { acceptedOf } from './testing/answers.ts';
import { tableName } from './testing/dynalite-table.ts';
import { headersIn } from './testing/items.ts';
import { granted, outcomeOf, record } from './testing/ledger.ts';
import { list } from './testing/lists.ts';
import { noon, rows, startIntake, type TestIntake } from './testing/start-intake.ts';

const noonMs = Date.parse(noon);

/** A key that named a booking, decided, and after its header's time names another; nothing of the first is deleted. */
async function usedAgain(intake: TestIntake): Promise<{ before: string; now: string }> {
  const { bookingId: before } = await acceptedOf(await intake.submit({ reservations: rows(3) }));
  await record(intake, { bookingId: before, chunkIndex: 0, outcome: outcomeOf(granted(3)) });
  await intake.fetch(`/v1/bookings/${before}`);
  intake.clock.advance(retention.headerMs);
  const { bookingId: now } = await acceptedOf(await intake.submit({ reservations: rows(3) }));
  return { before, now };
}

test('a key used again makes another booking, of which nothing of the first is told, and none of the first is', async () => {
  const intake = await startIntake();
  const { before, now } = await usedAgain(intake);
  expect(now).not.toBe(before);
  expect((await intake.fetch(`/v1/bookings/${before}`)).status).toBe(404);
  const response = await intake.fetch(`/v1/bookings/${now}`);
  expect(BookingStatus.assert(await response.json())).toMatchObject({
    bookingId: now,
    status: 'pending',
    counts: { granted: 0, rejected: 0, pending: 3 },
    reservations: [],
  });
  expect((await list(intake)).bookings).toMatchObject([{ bookingId: now, status: 'pending' }]);
  const [header, ...others] = await headersIn(intake);
  expect([header?.bookingId, header?.counts, others]).toEqual([now, undefined, []]);
});

test('an id that no acceptance made is not found, though its key has a booking', async () => {
  const intake = await startIntake();
  const { bookingId } = await acceptedOf(await intake.submit({ reservations: rows(1) }));
  const forged = [noonMs - 1, noonMs + 1, 0, 2 ** 45 - 1].map((ms) => bookingIdOf(bookingKeyFor('acme', 'key-1'), ms));
  for (const id of forged) {
    expect((await intake.fetch(`/v1/bookings/${id}`)).status).toBe(404);
    expect((await intake.fetch(`/v1/bookings?cursor=${id}`)).status).toBe(200);
  }
  expect((await intake.fetch(`/v1/bookings/${bookingId}`)).status).toBe(200);
});

test('an entry of the index that a later booking of its key has replaced is no booking', async () => {
  const intake = await startIntake();
  const { bookingId } = await acceptedOf(await intake.submit({ reservations: rows(1) }));
  const earlierMs = noonMs - 86_400_000;
  const earlier = {
    acceptedAt: toRfc3339(earlierMs),
    bookingId: bookingIdOf(bookingKeyFor('acme', 'key-1'), earlierMs),
  };
  const { partitionKey, sortKey } = tableDefinition.byAccount;
  const late = { pk: 'late', sk: 'late', [partitionKey]: 'acme', [sortKey]: listKeyOf(earlier) };
  await intake.table.client.send(new PutCommand({ TableName: tableName, Item: late }));
  for (const query of ['', '?limit=1']) {
    expect((await list(intake, query)).bookings.map((listed) => listed.bookingId)).toEqual([bookingId]);
  }
  expect((await list(intake, `?cursor=${bookingId}`)).bookings).toEqual([]);
});

test('a booking is shown for sixty days to the millisecond, in the list as by its id', async () => {
  const intake = await startIntake();
  const { bookingId } = await acceptedOf(await intake.submit({ reservations: rows(1) }));
  intake.clock.advance(retention.outcomeMs - 1);
  expect((await intake.fetch(`/v1/bookings/${bookingId}`)).status).toBe(200);
  expect((await list(intake)).bookings.length).toBe(1);
  intake.clock.advance(1);
  expect((await intake.fetch(`/v1/bookings/${bookingId}`)).status).toBe(404);
  expect((await list(intake)).bookings.length).toBe(0);
});
