import { expect, test } from 'vitest';
import { expectNothingSetAside, finish } from '../support/books.ts';
import { acceptedBy } from '../support/case.ts';
import { messagesIn } from '../support/read-back.ts';
import { startWorld } from '../support/world.ts';

/** Ten chunks, and so ten entries of one call. */
const tour = { accountId: 'ada', key: 'tour', costs: new Array<number>(1000).fill(1) };

test.each([0, 5, 9])(
  'case 8: when entry %i of ten is in Failed, it alone is sent again, and then 202',
  async (index) => {
    const world = await startWorld();
    const intake = world.intake({
      takes: (entry) => entry.command !== 'SendMessageBatch' || entry.nth > 1 || entry.index !== index,
    });
    await acceptedBy(await intake.submit(tour));
    expect(intake.requests.filter((command) => command === 'SendMessageBatch')).toHaveLength(2);
    expect(await messagesIn(world.clients, world.queues.bookings.url)).toBe(10);
  },
);

test('case 8: when it cannot be sent, 503, and the key may be retried', async () => {
  const world = await startWorld();
  const takes = ({ command, text }: { command: string; text: string }) =>
    command !== 'SendMessageBatch' || !text.includes('#9"');
  const refused = await world.intake({ takes }).submit(tour);
  expect(refused).toMatchObject({ status: 503 });
  expect(refused !== 'crashed' && refused.headers.get('Retry-After')).toBe('1');

  await acceptedBy(await world.intake().submit(tour));
  const books = await finish(world);
  expect(books.ledger.size).toBe(10);
  expect(books.counters.get('ada')).toEqual({ used: 1000, rejected: 0 });
  await expectNothingSetAside(world);
});
