import { BookingList, workQueue } from '@usher/contracts';
import { expect, test } from 'vitest';
import { expectBalance, finish } from '../support/books.ts';
import { acceptedBy, settleAll } from '../support/case.ts';
import { messagesIn } from '../support/read-back.ts';
import { startWorld } from '../support/world.ts';

const minuteMs = 60_000;
const booking = { accountId: 'ada', key: 'again', costs: [6, 5] };

test.each([
  { minutes: 6, settledBefore: true },
  { minutes: 6, settledBefore: false },
  // What was handed on is still there to be counted.
  { minutes: workQueue.retentionSeconds / 60 - 60, settledBefore: true },
])(
  'case 26: the same key and payload $minutes minutes later get the original answer (settled before: $settledBefore)',
  async (given) => {
    const world = await startWorld({ ada: { dailyLimit: 10 } });
    const original = await acceptedBy(await world.intake().submit(booking));
    if (given.settledBefore) await settleAll(world);
    const before = await messagesIn(world.clients, world.queues.bookings.url);
    world.clock.advance(given.minutes * minuteMs);

    const repeat = await world.intake().submit(booking);
    expect(repeat !== 'crashed' && repeat.headers.get('Idempotency-Replayed')).toBe('true');
    expect(await acceptedBy(repeat)).toEqual(original);
    expect(await messagesIn(world.clients, world.queues.bookings.url)).toBe(before);
    const list = BookingList.assert(await (await world.intake().get('ada', '/v1/bookings')).json());
    expect(list.bookings).toMatchObject([{ bookingId: original.bookingId }]);
    expectBalance(await finish(world), [{ ...booking, ...original }], { ada: 10 });
  },
);
