import { Chunk } from '@usher/contracts';
import { type } from 'arktype';
import { expect, test } from 'vitest';
import { bookedChunk } from '../../services/worker/src/decode.ts';
import { eventsOf } from '../../services/worker/src/events.ts';
import { finish } from '../support/books.ts';
import { acceptedBy, outcomeOf, receiveBatch, settleByHand } from '../support/case.ts';
import { openIntake } from '../support/open-intake.ts';
import { startWorld } from '../support/world.ts';

const PutEvents = type({ Entries: type({ Detail: 'string' }).array() });
const ids = Array.from({ length: 100 }, (_, n) => '𝄞'.repeat(125) + String(n).padStart(3, '0'));

test('case 13: the largest rejection lists are published under the limit, every reservation in exactly one', async () => {
  const world = await startWorld({ ada: { dailyLimit: 0 } });
  const calls: number[] = [];
  world.intercept(({ operation, input }) => {
    if (operation === 'PutEvents') {
      calls.push(
        PutEvents.assert(input).Entries.reduce((bytes, { Detail }) => bytes + Buffer.byteLength(Detail) + 14, 0),
      );
    }
    return 'pass';
  });
  const booking = await acceptedBy(
    await openIntake(world).post('ada', 'large', { reservations: ids.map((id) => ({ id })) }),
  );
  const event = await receiveBatch(world);
  expect(await settleByHand(world, event)).toEqual([]);
  const message = Chunk.assert(JSON.parse(event.Records[0]?.body ?? ''));
  const books = await finish(world);
  const outcome = outcomeOf(books, booking);
  expect(Math.max(...calls)).toBeLessThan(256 * 1024);

  // No chunk is large enough to need it today; with less room per event, the same list comes in parts.
  for (const partBytes of [60_000, 10_000, 1_000, 1]) {
    const parts = eventsOf(bookedChunk(message), outcome, partBytes).flatMap(({ detailType, detail }) =>
      detailType === 'Reservations Rejected' ? [detail] : [],
    );
    expect(parts.flatMap(({ data }) => data.reservations.map(({ id }) => id))).toEqual(ids);
    expect(new Set(parts.map(({ metadata }) => metadata.id)).size).toBe(parts.length);
    for (const { data } of parts.filter((part) => part.data.reservations.length > 1)) {
      expect(Buffer.byteLength(JSON.stringify(data.reservations))).toBeLessThanOrEqual(partBytes + 2);
    }
  }
});
