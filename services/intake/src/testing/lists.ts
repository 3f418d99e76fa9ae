import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { BookingAccepted, BookingList, bookingIdOf, bookingKeyFor } from '@usher/contracts';
import { toRfc3339 } from '@usher/limiter-core/bulk';
import { keys } from '@usher/limiter-core/bulk/dynamodb';
import { expect } from 'vitest';
import { tableName } from './dynalite-table.ts';
import { putHeader } from './items.ts';
import { granted, outcomeOf, record } from './ledger.ts';
import { noon, rows, type TestIntake } from './start-intake.ts';

export async function list(intake: TestIntake, query = '', account = 'acme'): Promise<BookingList> {
  const response = await intake.fetch(`/v1/bookings${query}`, { account });
  expect(response.status).toBe(200);
  return BookingList.assert(await response.json());
}

export async function submitMany(intake: TestIntake, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let i = 0; i < count; i++) {
    const accepted = await intake.submit({ reservations: rows(150) }, { key: `key-${i}` });
    ids.push(BookingAccepted.assert(await accepted.json()).bookingId);
    intake.clock.advance(1000);
  }
  return ids;
}

/** Accepted bookings of one row each, a millisecond apart, the newest last. */
export async function makeMany(intake: TestIntake, count: number): Promise<string[]> {
  const atMs = (i: number) => Date.parse(noon) + i;
  const ids = Array.from({ length: count }, (_, i) => bookingIdOf(bookingKeyFor('acme', `made-${i}`), atMs(i)));
  await Promise.all(ids.map((bookingId, i) => putHeader(intake, { bookingId, acceptedAt: toRfc3339(atMs(i)) })));
  return ids;
}

/** Decides a booking of one row. */
export function decide(intake: TestIntake, bookingId: string): Promise<void> {
  return record(intake, { bookingId, chunkIndex: 0, outcome: outcomeOf(granted(1)) });
}

export async function setPolicy(intake: TestIntake, policy: object): Promise<void> {
  await intake.table.client.send(new PutCommand({ TableName: tableName, Item: { ...keys.policy('acme'), policy } }));
  intake.clock.advance(30_000);
}

/** Walks a list to its end and tells the size of each page. */
export async function walk(intake: TestIntake, query: string): Promise<{ sizes: number[]; seen: string[] }> {
  const sizes: number[] = [];
  const seen: string[] = [];
  let cursor = '';
  do {
    const { bookings, nextCursor } = await list(intake, `?${query}${cursor}`);
    sizes.push(bookings.length);
    seen.push(...bookings.map(({ bookingId }) => bookingId));
    cursor = nextCursor === undefined ? '' : `&cursor=${nextCursor}`;
  } while (cursor !== '');
  return { sizes, seen };
}
