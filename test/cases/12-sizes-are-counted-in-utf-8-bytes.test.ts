import { chunkMaxBytes } from '@usher/contracts';
import { type } from 'arktype';
import { expect, test } from 'vitest';
import { Consumer } from '../support/books.ts';
import { acceptedBy, settleAll } from '../support/case.ts';
import { openIntake } from '../support/open-intake.ts';
import { startWorld } from '../support/world.ts';

const clef = '𝄞'; // Two UTF-16 units, four bytes.
const SendMessageBatch = type({ Entries: type({ MessageBody: 'string' }).array() });
const Sized = type('string.json.parse').to({ reservations: 'unknown[]' });
const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

/** A row with an id of 128 characters and details of `bytes` bytes, a multiple of four. */
const row = (n: number, bytes: number) => ({
  id: clef.repeat(124) + String(n).padStart(4, '0'),
  details: { n: clef.repeat((bytes - 8) / 4) },
});

test('case 12: ids and details of four-byte characters are measured as the bytes they take', async () => {
  const world = await startWorld({ ada: { dailyLimit: 150 } });
  const sizes: number[] = [];
  world.intercept(({ operation, input }) => {
    if (operation !== 'SendMessageBatch') return 'pass';
    const bodies = SendMessageBatch.assert(input).Entries.map(({ MessageBody }) => MessageBody);
    expect(bodies.reduce((bytes, body) => bytes + Buffer.byteLength(body), 0)).toBeLessThanOrEqual(1_048_576);
    sizes.push(...bodies.map((body) => bytesOf(Sized.assert(body).reservations)));
    return 'pass';
  });
  const reservations = Array.from({ length: 200 }, (_, n) => row(n, 4096));
  await acceptedBy(await openIntake(world).post('ada', 'clefs', { reservations }));
  expect(Math.max(...sizes)).toBeLessThanOrEqual(chunkMaxBytes);
  // By characters they would have been two chunks.
  expect(sizes).toHaveLength(5);

  await settleAll(world);
  const consumer = new Consumer();
  world.clock.advance(60_000);
  await consumer.drain(world.clients, world.queues, world.clock());
  const dispatched = [...consumer.dispatches.values()].flatMap((dispatch) => dispatch.reservations);
  expect(dispatched.map(({ details }) => details)).toEqual(reservations.slice(0, 150).map(({ details }) => details));
});

test('case 12: details of 4,096 bytes are taken, and one character more is refused', async () => {
  const intake = openIntake(await startWorld());
  expect(await intake.post('ada', 'fits', { reservations: [row(0, 4096)] })).toMatchObject({ status: 202 });
  expect(await intake.post('ada', 'over', { reservations: [row(0, 4100)] })).toMatchObject({ status: 422 });
});
