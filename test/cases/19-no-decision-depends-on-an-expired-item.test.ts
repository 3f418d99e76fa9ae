import { bookingKeyOf } from '@usher/contracts';
import { expect, test } from 'vitest';
import { finish } from '../support/books.ts';
import { acceptedBy, outcomeOf, settleAll } from '../support/case.ts';
import { messagesIn, readTable } from '../support/read-back.ts';
import { startWorld } from '../support/world.ts';

const dayMs = 86_400_000;
const booking = { accountId: 'ada', key: 'again', costs: [7] };

test('case 19: items past their time that TTL has not removed decide nothing', async () => {
  // The endpoints' table has no sweep here: what has expired stays for good, as DynamoDB's TTL may leave it for days.
  const world = await startWorld({ ada: { dailyLimit: 10 } });
  const first = await acceptedBy(await world.intake().submit(booking));
  await settleAll(world);

  world.clock.advance(91 * dayMs);
  expect((await readTable(world.clients)).ledger).toHaveLength(1);
  const answer = await world.intake().submit(booking);
  expect(answer !== 'crashed' && answer.headers.get('Idempotency-Replayed')).toBeNull();
  const second = await acceptedBy(answer);
  // Header, ledger item and limiter of the first are all past their time; the same key makes another booking.
  expect(second.bookingId).not.toBe(first.bookingId);
  expect(bookingKeyOf(second.bookingId)).toBe(bookingKeyOf(first.bookingId));
  expect(await messagesIn(world.clients, world.queues.bookings.url)).toBe(1);

  await settleAll(world);
  const books = await finish(world);
  expect(outcomeOf(books, second)).toMatchObject({
    date: second.window.date,
    usedBefore: 0,
    grantedCost: 7,
    reasons: [null],
  });
});

test('case 19: until its time a header decides: the same key is the same booking after 60 days', async () => {
  const world = await startWorld();
  const first = await acceptedBy(await world.intake().submit(booking));
  world.clock.advance(60 * dayMs);
  expect(await acceptedBy(await world.intake().submit(booking))).toEqual(first);
});
