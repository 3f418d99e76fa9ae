import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { bookingIdOf, bookingKeyFor, Problem } from '@usher/contracts';
import { virtualClock } from '@usher/limiter-core';
import { keys } from '@usher/limiter-core/dynamodb';
import { expect, test } from 'vitest';
import { acceptedOf } from './testing/answers.ts';
import { headersIn } from './testing/items.ts';
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
