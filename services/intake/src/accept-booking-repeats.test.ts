import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { bookingDigest, bookingIdOf, bookingKeyFor, bookingKeyOf, meaningOf, Problem } from '@usher/contracts';
import { virtualClock } from '@usher/limiter-core';
import { keys } from '@usher/limiter-core/bulk/dynamodb';
import { expect, test } from 'vitest';
import { acceptedOf } from './testing/answers.ts';
import { damage, headersIn, putHeader } from './testing/items.ts';
import { booking, noon, rows, startIntake } from './testing/start-intake.ts';

const dayMs = 86_400_000;

test('a repeat is answered while the policy of its account cannot be read; a new booking has to wait', async () => {
  const intake = await startIntake();
  const first = await acceptedOf(await intake.submit(booking));
  const unreadable = { ...keys.policy('acme'), policy: { dailyLimit: -1 } };
  await intake.table.client.send(new PutCommand({ TableName: 'usher', Item: unreadable }));
  intake.clock.advance(60_000);
  expect(await acceptedOf(await intake.submit(booking))).toEqual(first);
  expect((await intake.submit(booking, { key: 'another' })).status).toBe(503);
});

test('case 26: the same key and payload six minutes later get the original answer and queue nothing', async () => {
  const intake = await startIntake();
  const first = await acceptedOf(await intake.submit(booking));
  intake.clock.advance(6 * 60_000);
  const again = await intake.submit(booking);
  expect(await acceptedOf(again)).toEqual(first);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
  expect(intake.queue.calls.length).toBe(1);
  expect((await headersIn(intake)).length).toBe(1);
});

test('a payload is recognised by its meaning: white space, order of keys and spelled-out defaults do not matter', async () => {
  const intake = await startIntake();
  await acceptedOf(await intake.submit(booking));
  const spelled = `{ "reservations" : [ {"details":{"flight":"LH 4\\u00300"},"cost":2.0,"id":"A-17"},
    {"cost":1,"id":"A-18"} ], "mode":"partial" }`;
  const again = await intake.submit(spelled);
  expect(again.status).toBe(202);
  expect(again.headers.get('idempotency-replayed')).toBe('true');
});

test('a key used with another payload is refused and changes nothing', async () => {
  const intake = await startIntake();
  await acceptedOf(await intake.submit(booking));
  const before = await intake.table.items();
  intake.clock.advance(60_000);
  const response = await intake.submit({ reservations: [{ id: 'A-17', cost: 3 }] });
  expect(response.status).toBe(422);
  const earlier = { bookingId: bookingIdOf(bookingKeyFor('acme', 'key-1'), Date.parse(noon)), acceptedAt: noon };
  const told = Problem.assert(await response.json());
  expect(told).toMatchObject({ type: '/problems/idempotency-key-reused', booking: earlier });
  expect(told.detail).toContain(`${earlier.bookingId}, accepted at ${noon}`);
  expect(await intake.table.items()).toEqual(before);
  expect(intake.queue.calls.length).toBe(1);
});

test('one key names different bookings of different accounts', async () => {
  const intake = await startIntake();
  const ours = await acceptedOf(await intake.submit(booking));
  const theirs = await acceptedOf(await intake.submit({ reservations: rows(1) }, { account: 'other' }));
  expect(theirs.bookingId).not.toBe(ours.bookingId);
});

test('a header past its time counts as absent, though it has not been deleted', async () => {
  const intake = await startIntake();
  await acceptedOf(await intake.submit(booking));
  intake.clock.advance(90 * dayMs);
  const again = await intake.submit({ reservations: rows(1) });
  expect((await acceptedOf(again)).acceptedAt).toBe(new Date(virtualClock(noon)() + 90 * dayMs).toISOString());
  expect(again.headers.has('idempotency-replayed')).toBe(false);
});

test('a key used again after its header makes another booking; the id of the first one is found no more', async () => {
  const intake = await startIntake();
  const first = await acceptedOf(await intake.submit(booking));
  intake.clock.advance(90 * dayMs);
  const second = await acceptedOf(await intake.submit(booking));
  expect(bookingKeyOf(second.bookingId)).toBe(bookingKeyOf(first.bookingId));
  expect(second.bookingId).not.toBe(first.bookingId);
  const ids = intake.queue.chunks().map(({ bookingId }) => bookingId);
  expect(ids).toEqual([first.bookingId, second.bookingId]);
  expect((await intake.fetch(`/v1/bookings/${first.bookingId}`)).status).toBe(404);
  expect((await intake.fetch(`/v1/bookings/${second.bookingId}`)).status).toBe(200);
});

test('from day 60 to day 90 a repeat is answered as the first was, and its Location is not found', async () => {
  const intake = await startIntake();
  const first = await acceptedOf(await intake.submit(booking));
  for (const days of [60, 29]) {
    intake.clock.advance(days * dayMs);
    const response = await intake.submit(booking);
    expect(await acceptedOf(response)).toEqual(first);
    expect((await intake.fetch(response.headers.get('location') ?? '')).status).toBe(404);
  }
});

test('a repeat of an all-or-nothing booking goes by its header, though one chunk could not hold it now', async () => {
  const intake = await startIntake();
  const details = { note: 'x'.repeat(4000) };
  const large = { mode: 'all-or-nothing' as const, reservations: rows(60).map(({ id }) => ({ id, details })) };
  expect((await intake.submit(large)).status).toBe(422);
  const bookingKey = bookingKeyFor('acme', 'key-1');
  const bookingId = bookingIdOf(bookingKey, Date.parse(noon));
  await putHeader(intake, { bookingId, acceptedAt: noon });
  const fields = { mode: large.mode, total: 60, cut: '60', digest: bookingDigest(meaningOf(large)) };
  for (const [name, value] of Object.entries(fields)) await damage(intake, keys.header(bookingKey), name, value);
  expect(await acceptedOf(await intake.submit(large))).toMatchObject({ bookingId, reservations: 60, chunks: 1 });
});
