import { expect, test } from 'vitest';
import { expectBalance, finish } from '../support/books.ts';
import { book, quarantined, sendRaw } from '../support/case.ts';
import { startWorld } from '../support/world.ts';

test.each([
  ['{', 'invalid_json'],
  ['not JSON at all', 'invalid_json'],
  ['null', 'invalid_message'],
  ['[[]]', 'invalid_message'],
  ['{"v":1,"kind":"chunk"}', 'invalid_message'],
])(
  'case 1: between good chunks of A and B the body %s goes to quarantine alone, and is acknowledged',
  async (body, reason) => {
    const world = await startWorld();
    const a = { accountId: 'ada', key: 'a', costs: [1, 2] };
    const b = { accountId: 'bob', key: 'b', costs: [3] };
    const { bookingId: bookingA } = await book(world, a.accountId, a.key, a.costs);
    await sendRaw(world, 'eve', body, 'bad');
    const { bookingId: bookingB } = await book(world, b.accountId, b.key, b.costs);

    expect(await world.worker().settle()).toMatchObject({ received: { length: 3 }, handedBack: [] });
    expect(await quarantined(world)).toMatchObject([{ reason, body, truncated: false }]);
    const books = await finish(world);
    expectBalance(books, [
      { ...a, bookingId: bookingA },
      { ...b, bookingId: bookingB },
    ]);
    const told = [...books.events.values()].filter(({ detailType }) => detailType === 'Message Quarantined');
    expect(told).toMatchObject([{ detail: { data: { reason } } }]);
  },
);
