import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { bookingIdOf, bookingKeyFor } from '@usher/contracts';
import { keys } from '@usher/limiter-core/bulk/dynamodb';
import { expect, test } from 'vitest';
import { acceptedOf, problemOf } from './testing/answers.ts';
import { headersIn } from './testing/items.ts';
import { booking, noon, startIntake } from './testing/start-intake.ts';

test('a booking is answered 202 with its window, and its chunk is queued in the group of its account', async () => {
  const intake = await startIntake();
  const response = await intake.submit(booking);
  const answer = await acceptedOf(response);
  const bookingId = bookingIdOf(bookingKeyFor('acme', 'key-1'), Date.parse(noon));
  expect(answer).toEqual({
    bookingId,
    acceptedAt: noon,
    window: {
      date: '2026-11-29',
      timezone: 'UTC',
      startsAt: '2026-11-29T00:00:00.000Z',
      resetsAt: '2026-11-30T00:00:00.000Z',
    },
    reservations: 2,
    chunks: 1,
  });
  expect(response.headers.get('location')).toBe(`/v1/bookings/${bookingId}`);
  expect(response.headers.get('cache-control')).toBe('no-store');
  expect(response.headers.has('idempotency-replayed')).toBe(false);
  expect(intake.queue.chunks()).toEqual([
    {
      v: 1,
      kind: 'chunk',
      bookingId,
      chunk: 0,
      chunks: 1,
      accountId: 'acme',
      acceptedAt: noon,
      window: answer.window,
      mode: 'partial',
      reservations: [
        { id: 'A-17', cost: 2, details: { flight: 'LH 400' } },
        { id: 'A-18', cost: 1 },
      ],
    },
  ]);
  expect(intake.queue.calls[0]?.[0]).toMatchObject({
    MessageGroupId: 'acme',
    MessageDeduplicationId: `${bookingId}#0`,
  });
  expect(await headersIn(intake)).toMatchObject([
    { bookingId, accountId: 'acme', total: 2, cut: '2', state: 'accepted' },
  ]);
});

test('the window is the local day of the account, by its stored policy', async () => {
  const intake = await startIntake();
  intake.clock.advance(4.5 * 3_600_000);
  await intake.table.client.send(
    new PutCommand({
      TableName: 'usher',
      Item: { ...keys.policy('acme'), policy: { timezone: 'Asia/Shanghai' } },
    }),
  );
  const { window } = await acceptedOf(await intake.submit(booking));
  expect(window).toMatchObject({ date: '2026-11-30', timezone: 'Asia/Shanghai', resetsAt: '2026-11-30T16:00:00.000Z' });
});

test('account ids that are names of Object.prototype are accounts like any other', async () => {
  const intake = await startIntake();
  for (const account of ['__proto__', 'constructor']) {
    const { bookingId } = await acceptedOf(await intake.submit(booking, { account }));
    expect((await intake.fetch(`/v1/bookings/${bookingId}`, { account })).status).toBe(200);
    expect((await intake.fetch('/v1/quota', { account })).status).toBe(200);
  }
});

test('while the table fails nothing is queued, and the same key goes through afterwards', async () => {
  const intake = await startIntake();
  intake.fault((command) => (command === 'PutItemCommand' ? 'refused' : undefined));
  const response = await intake.submit(booking);
  expect([response.status, (await problemOf(response)).type]).toEqual([503, '/problems/unavailable']);
  expect(response.headers.get('retry-after')).toBe('1');
  expect(intake.queue.calls.length).toBe(0);
  intake.fault(() => undefined);
  await acceptedOf(await intake.submit(booking));
});

test('neither logs nor metrics hold what partners send', async () => {
  const intake = await startIntake();
  intake.queue.answer(() => new Error('down'));
  await intake.submit(booking);
  expect(intake.logged.length).toBeGreaterThan(0);
  expect(JSON.stringify(intake.logged)).not.toMatch(/A-17|LH 400/);
});
