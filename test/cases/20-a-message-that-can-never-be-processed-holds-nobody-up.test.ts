import { bookingIdOf, bookingKeyFor, Chunk } from '@usher/contracts';
import { windowAt } from '@usher/limiter-core/bulk';
import { expect, test } from 'vitest';
import { expectBalance, finish } from '../support/books.ts';
import { book, quarantined, receiveBatch, sendRaw } from '../support/case.ts';
import { messagesIn } from '../support/read-back.ts';
import { startWorld, visibilityMs, type World } from '../support/world.ts';

/** Messages that no retry makes better, each the first of its group. */
const hopeless: Record<string, (world: World) => Promise<string>> = {
  'no JSON': async () => '{"v":1',
  'an unknown kind': async () => '{"v":9,"kind":"refund"}',
  'a chunk of another account': async (world) => changed(world, (chunk) => ({ ...chunk, accountId: 'eve' })),
  'a chunk too old to be decided': async (world) =>
    changed(world, (chunk) => ({
      ...chunk,
      bookingId: bookingIdOf(bookingKeyFor('ada', 'old'), Date.parse('2026-09-01T00:00:00.000Z')),
      acceptedAt: '2026-09-01T00:00:00.000Z',
      window: windowAt(Date.parse('2026-09-01T00:00:00.000Z'), 'UTC'),
    })),
};

/** A chunk as intake makes it, changed. */
async function changed(world: World, change: (chunk: Chunk) => Chunk): Promise<string> {
  await book(world, 'ada', 'model', [1]);
  const { Records } = await receiveBatch(world);
  world.clock.advance(visibilityMs);
  expect(await world.worker().settle()).toMatchObject({ handedBack: [] });
  return JSON.stringify(change(Chunk.assert(JSON.parse(Records[0]?.body ?? ''))));
}

test.each(Object.keys(hopeless))(
  'case 20: behind %s, its account’s later messages run at once, and other accounts never wait',
  async (kind) => {
    const world = await startWorld();
    await sendRaw(world, 'ada', (await hopeless[kind]?.(world)) ?? '', 'hopeless');
    const later = { accountId: 'ada', key: 'later', costs: [2, 3] };
    const other = { accountId: 'bob', key: 'other', costs: [4] };
    const { bookingId: first } = await book(world, later.accountId, later.key, later.costs);
    const { bookingId: second } = await book(world, other.accountId, other.key, other.costs);

    expect(await world.worker().settle()).toMatchObject({ received: { length: 3 }, handedBack: [] });
    expect(await quarantined(world)).toHaveLength(1);
    const books = await finish(world);
    const own = [...books.ledger.keys()].filter((id) => id.startsWith(first) || id.startsWith(second));
    expect(own).toHaveLength(2);
    expect(await messagesIn(world.clients, world.queues.bookingsDead.url)).toBe(0);
    if (kind === 'no JSON')
      expectBalance(books, [
        { ...later, bookingId: first },
        { ...other, bookingId: second },
      ]);
  },
);
