import { type } from 'arktype';
import { expect, test } from 'vitest';
import { acceptedBy } from '../support/case.ts';
import { openIntake } from '../support/open-intake.ts';
import { messagesIn } from '../support/read-back.ts';
import { startWorld } from '../support/world.ts';

const SendMessageBatch = type({ Entries: type({ MessageBody: 'string' }).array() });

test.each([
  { what: 'big rows', rows: 900, detailBytes: 4_000, chunks: 18, calls: 4 },
  { what: 'small rows', rows: 2_500, detailBytes: 1, chunks: 25, calls: 3 },
])('case 11: the chunks of $what go in calls of at most 1 MiB and at most ten entries', async (given) => {
  const world = await startWorld();
  const sent: string[][] = [];
  world.intercept(({ operation, input }) => {
    if (operation === 'SendMessageBatch')
      sent.push(SendMessageBatch.assert(input).Entries.map((one) => one.MessageBody));
    return 'pass';
  });
  const reservations = Array.from({ length: given.rows }, (_, n) => ({
    id: `r${n}`,
    details: { note: 'x'.repeat(given.detailBytes) },
  }));
  expect(await acceptedBy(await openIntake(world).post('ada', 'big', { reservations }))).toMatchObject({
    chunks: given.chunks,
  });
  expect(await messagesIn(world.clients, world.queues.bookings.url)).toBe(given.chunks);
  expect(sent).toHaveLength(given.calls);
  for (const bodies of sent) {
    expect(bodies.length).toBeLessThanOrEqual(10);
    expect(bodies.reduce((bytes, body) => bytes + Buffer.byteLength(body), 0)).toBeLessThanOrEqual(1_048_576);
  }
});
