import { describe, expect, it } from 'vitest';
import { type Books, expectBalance, expectNothingSetAside, finish } from '../support/books.ts';
import type { Accepted } from '../support/first-fit.ts';
import { always, at, type Faults, type OutgoingRequest, type RequestFault } from '../support/process-faults.ts';
import { messagesIn } from '../support/read-back.ts';
import { visibilityMs, type World } from '../support/world.ts';
import { accountKinds, limits, startScenario } from './scenario.ts';

/** The fault at the first so many writes of an account. */
function atWrites(accountId: string, times: number, fault: RequestFault): Faults {
  let left = times;
  const isWrite = ({ command, input }: OutgoingRequest): boolean =>
    command === 'UpdateItem' && JSON.stringify(input).includes(`account#${accountId}"`);
  return { onRequest: (request) => (isWrite(request) && left-- > 0 ? fault : undefined) };
}

const queued = ({ clients, queues }: World): Promise<number> => messagesIn(clients, queues.bookings.url);

describe.each(accountKinds)('an UpdateItem of $kind', ({ accountId, messages, earlier }) => {
  it('whose reply is lost is sent again by the SDK, fails on rev, and finds its own receipt: one count', async () => {
    const { world, bookings } = await startScenario(earlier);
    const worker = world.worker(atWrites(accountId, 1, 'reply lost'));
    const delivery = await worker.settle();
    expect(delivery).toMatchObject({ handedBack: [] });
    // One for each account, and the SDK's own second for this one, which is no decision any more.
    expect(worker.requests.filter((command) => command === 'UpdateItem')).toHaveLength(3);
    expect(await queued(world)).toBe(0);
    const books = await finish(world);
    expectBalance(books, bookings, limits);
    expect(Math.max(...books.times.values())).toBe(1);
    await expectNothingSetAside(world);
  });

  it('that is applied with every reply lost has its messages come back, and they get that verdict', async () => {
    const { world, bookings } = await startScenario(earlier);
    const settledAt = world.clock();
    const delivery = await world.worker(atWrites(accountId, 3, 'reply lost')).settle();
    expect(delivery).toMatchObject({ handedBack: { length: messages } });
    expect(await queued(world)).toBe(messages);

    world.clock.advance(visibilityMs);
    const books = await finish(world);
    expectBalance(books, bookings, limits);
    expect([...books.ledger.values()].every(({ outcome }) => outcome.settledAtMs === settledAt)).toBe(true);
    await expectNothingSetAside(world);
  });

  it('that never arrives has its messages come back uncounted, and no other account waits for them', async () => {
    const { world, bookings } = await startScenario(earlier);
    const deliveredAt = world.clock();
    const delivery = await world.worker(atWrites(accountId, 3, 'request lost')).settle();
    expect(delivery).toMatchObject({ handedBack: { length: messages } });
    const books = await finish(world);
    expectBalance(books, bookings, limits);
    const decidedAt = settledTimes(books, bookings.slice(earlier.length));
    expect(decidedAt.get(accountId === 'ada' ? 'bob' : 'ada')).toEqual([deliveredAt]);
    expect(Math.min(...(decidedAt.get(accountId) ?? []))).toBeGreaterThanOrEqual(deliveredAt + visibilityMs);
    await expectNothingSetAside(world);
  });
});

describe('a lost reply', () => {
  it.each(['BatchGetItem', 'BatchWriteItem', 'DeleteMessageBatch'])(
    'to %s is made up for by the SDK alone',
    async (command) => {
      const { world, bookings } = await startScenario();
      const delivery = await world.worker(at(command, 1, 'reply lost')).settle();
      expect(delivery).toMatchObject({ handedBack: [] });
      const books = await finish(world);
      expectBalance(books, bookings, limits);
      expect(Math.max(...books.times.values())).toBe(1);
      await expectNothingSetAside(world);
    },
  );

  it.each([
    { command: 'PutEvents', repeated: 10 },
    { command: 'SendMessageBatch', repeated: 10 },
  ])('to $command repeats the entries of that call, under their ids', async ({ command, repeated }) => {
    const { world, bookings } = await startScenario();
    await world.worker(at(command, 1, 'reply lost')).settle();
    const books = await finish(world);
    expectBalance(books, bookings, limits);
    expect([...books.times.values()].filter((times) => times === 2)).toHaveLength(repeated);
    await expectNothingSetAside(world);
  });

  it('to every BatchWriteItem leaves the chunks to their redelivery, whose verdict is the receipt', async () => {
    const { world, bookings } = await startScenario();
    expect(await world.worker(always('BatchWriteItem', 'request lost')).settle()).toMatchObject({
      handedBack: { length: 7 },
    });
    const books = await finish(world);
    expectBalance(books, bookings, limits);
    expect(new Set([...settledTimes(books, bookings).values()].flat()).size).toBe(1);
    await expectNothingSetAside(world);
  });
});

/** The distinct instants at which chunks of these bookings were decided, by account. */
function settledTimes({ ledger }: Books, bookings: readonly Accepted[]): Map<string, number[]> {
  const ids = new Set(bookings.map(({ bookingId }) => bookingId));
  const own = [...ledger.values()].filter(({ bookingId }) => ids.has(bookingId));
  const byAccount = Map.groupBy(own, ({ accountId }) => accountId);
  return new Map(
    [...byAccount].map(([accountId, chunks]) => [
      accountId,
      [...new Set(chunks.map(({ outcome }) => outcome.settledAtMs))],
    ]),
  );
}
