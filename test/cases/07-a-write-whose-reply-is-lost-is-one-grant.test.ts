import { expect, test } from 'vitest';
import { expectBalance, expectNothingSetAside, finish } from '../support/books.ts';
import { book } from '../support/case.ts';
import { at } from '../support/process-faults.ts';
import { startWorld } from '../support/world.ts';

test.each([
  { limit: 4, costs: [4], spare: 'none' },
  { limit: 1000, costs: [4], spare: 'plenty' },
])(
  'case 7: the write is applied, its reply lost, the SDK retries; granted once, no rejection, with $spare to spare',
  async (given) => {
    const world = await startWorld({ ada: { dailyLimit: given.limit } });
    const booking = { accountId: 'ada', key: 'once', costs: given.costs };
    const { bookingId } = await book(world, booking.accountId, booking.key, booking.costs);
    const worker = world.worker(at('UpdateItem', 1, 'reply lost'));
    expect(await worker.settle()).toMatchObject({ handedBack: [] });
    expect(worker.requests.filter((command) => command === 'UpdateItem')).toHaveLength(2);

    const books = await finish(world);
    expectBalance(books, [{ ...booking, bookingId }], { ada: given.limit });
    expect(books.counters.get('ada')).toEqual({ used: 4, rejected: 0 });
    expect([...books.events.values()].filter(({ detailType }) => detailType === 'Reservations Rejected')).toEqual([]);
    await expectNothingSetAside(world);
  },
);
