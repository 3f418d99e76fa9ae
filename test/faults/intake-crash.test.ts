import { leaseMs } from '@usher/intake';
import { describe, expect, it } from 'vitest';
import { expectBalance, expectNothingSetAside, finish } from '../support/books.ts';
import { acceptedBy } from '../support/case.ts';
import { at } from '../support/process-faults.ts';
import { messagesIn } from '../support/read-back.ts';
import { type Bulk, startWorld } from '../support/world.ts';
import { limits, ones, scenario, submitAll } from './scenario.ts';

/** Fifteen chunks: two calls of SendMessageBatch. */
const tour: Bulk = { accountId: 'ada', key: 'tour', costs: ones(1_500) };
/** SQS's deduplication: for five minutes it drops a message that it has been sent before. */
const dedupMs = 300_000;

const startWorldOfAda = () => startWorld({ ada: { dailyLimit: limits.ada } });

describe('an intake that dies', () => {
  it('after the header has its client retry with the key: busy while the lease runs, then the same booking', async () => {
    const world = await startWorldOfAda();
    const [bob] = await submitAll(
      world,
      scenario.filter(({ accountId }) => accountId === 'bob'),
    );
    expect(await world.intake(at('PutItem', 1, 'crash after')).submit(tour)).toBe('crashed');
    const acceptedAt = new Date(world.clock()).toISOString();

    const busy = await world.intake().submit(tour);
    expect(busy).toMatchObject({ status: 409 });
    expect(busy !== 'crashed' && busy.headers.get('Retry-After')).toBe('1');

    world.clock.advance(leaseMs);
    const answer = await acceptedBy(await world.intake().submit(tour));
    expect(answer).toMatchObject({ acceptedAt, reservations: 1_500, chunks: 15 });
    const books = await finish(world);
    expectBalance(books, [...(bob ? [bob] : []), { ...tour, bookingId: answer.bookingId }], limits);
    await expectNothingSetAside(world);
  });

  it.each([
    { when: 'while SQS still knows the chunks', laterMs: leaseMs, chunksAgain: 0 },
    { when: 'when SQS has forgotten them', laterMs: dedupMs + leaseMs, chunksAgain: 10 },
  ])('after some chunks were sent, retried $when, sends the same chunks, counted once', async (retry) => {
    const world = await startWorldOfAda();
    expect(await world.intake(at('SendMessageBatch', 1, 'crash after')).submit(tour)).toBe('crashed');
    expect(await messagesIn(world.clients, world.queues.bookings.url)).toBe(10);
    await world.worker().settle();
    expect(await messagesIn(world.clients, world.queues.bookings.url)).toBe(0);

    world.clock.advance(retry.laterMs);
    const { bookingId } = await acceptedBy(await world.intake().submit(tour));
    expect(await messagesIn(world.clients, world.queues.bookings.url)).toBe(5 + retry.chunksAgain);
    const books = await finish(world);
    expectBalance(books, [{ ...tour, bookingId }], limits);
    expect([...books.times.values()].filter((times) => times > 1).length > 0).toBe(retry.chunksAgain > 0);
    await expectNothingSetAside(world);
  });

  it.each([
    { when: 'before the header is marked accepted', fault: 'crash before', replayed: null },
    { when: 'before it answers', fault: 'crash after', replayed: 'true' },
  ] as const)('$when has enqueued the booking; the retry changes nothing', async ({ fault, replayed }) => {
    const world = await startWorldOfAda();
    expect(await world.intake(at('UpdateItem', 2, fault)).submit(tour)).toBe('crashed');
    expect(await messagesIn(world.clients, world.queues.bookings.url)).toBe(15);

    world.clock.advance(leaseMs);
    const answer = await world.intake().submit(tour);
    expect(answer !== 'crashed' && answer.headers.get('Idempotency-Replayed')).toBe(replayed);
    const { bookingId } = await acceptedBy(answer);
    expect(await messagesIn(world.clients, world.queues.bookings.url)).toBe(15);
    const books = await finish(world);
    expectBalance(books, [{ ...tour, bookingId }], limits);
    expect(Math.max(...books.times.values())).toBe(1);
    const status = await world.intake().get('ada', `/v1/bookings/${bookingId}`);
    expect(await status.json()).toMatchObject({
      status: 'decided',
      counts: { total: 1_500, granted: 250, rejected: 1_250, pending: 0 },
    });
  });

  it('is told apart from another payload under the same key, which is refused', async () => {
    const world = await startWorldOfAda();
    expect(await world.intake(at('SendMessageBatch', 1, 'crash after')).submit(tour)).toBe('crashed');
    world.clock.advance(leaseMs);
    expect(await world.intake().submit({ ...tour, costs: ones(1_499) })).toMatchObject({ status: 422 });
    const { bookingId } = await acceptedBy(await world.intake().submit(tour));
    expectBalance(await finish(world), [{ ...tour, bookingId }], limits);
  });
});

describe('an intake whose calls fail', () => {
  it('answers its own creator 202, not 409, when the reply to the header was lost and the SDK put it again', async () => {
    const world = await startWorldOfAda();
    const intake = world.intake(at('PutItem', 1, 'reply lost'));
    const { bookingId } = await acceptedBy(await intake.submit(tour));
    expect(intake.requests.filter((command) => command === 'PutItem')).toHaveLength(2);
    expectBalance(await finish(world), [{ ...tour, bookingId }], limits);
    await expectNothingSetAside(world);
  });

  it('has chunks in the queue once when the reply to a send was lost and the SDK sent them again', async () => {
    const world = await startWorldOfAda();
    const intake = world.intake(at('SendMessageBatch', 1, 'reply lost'));
    const { bookingId } = await acceptedBy(await intake.submit(tour));
    expect(intake.requests.filter((command) => command === 'SendMessageBatch')).toHaveLength(3);
    expect(await messagesIn(world.clients, world.queues.bookings.url)).toBe(15);
    const books = await finish(world);
    expectBalance(books, [{ ...tour, bookingId }], limits);
    expect(Math.max(...books.times.values())).toBe(1);
  });

  it('answers 503 when the queue refuses one chunk for good, and takes the same key at once', async () => {
    const world = await startWorldOfAda();
    const intake = world.intake({
      takes: ({ command, text }) => command !== 'SendMessageBatch' || !text.includes('#3"'),
    });
    const refused = await intake.submit(tour);
    expect(refused).toMatchObject({ status: 503 });
    expect(refused !== 'crashed' && refused.headers.get('Retry-After')).toBe('1');

    const { bookingId } = await acceptedBy(await world.intake().submit(tour));
    const books = await finish(world);
    // Chunk 3 now stands behind those of its call that the queue had taken (see SqsBookings), so that 4 is decided first.
    expect(books.counters.get('ada')).toEqual({ used: 250, rejected: 1_250 });
    expect(books.ledger.size).toBe(15);
    expect([...books.ledger.values()].every((entry) => entry.bookingId === bookingId)).toBe(true);
    await expectNothingSetAside(world);
  });
});
