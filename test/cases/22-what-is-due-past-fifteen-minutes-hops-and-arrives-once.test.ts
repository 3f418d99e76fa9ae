import { expect, test } from 'vitest';
import { expectBalance, expectNothingSetAside, finish } from '../support/books.ts';
import { book } from '../support/case.ts';
import type { OutgoingRequest, RequestFault } from '../support/process-faults.ts';
import { messagesIn } from '../support/read-back.ts';
import { startWorld, visibilityMs } from '../support/world.ts';

/** Eleven rows, four minutes apart: the last is due in 40 minutes. */
const slow = { accountId: 'ada', key: 'slow', costs: new Array<number>(11).fill(24) };

async function startPaced() {
  const world = await startWorld({ ada: { dailyLimit: 1000, refillPerSecond: 0.1, burst: 24 } });
  const { bookingId } = await book(world, slow.accountId, slow.key, slow.costs);
  const startMs = world.clock();
  await world.worker().settle();
  expect(await messagesIn(world.clients, world.queues.pacing.url)).toBe(1);
  return { world, startMs, booking: { ...slow, bookingId } };
}

test('case 22: rows due in 40 minutes hop and arrive once per id, never early', async () => {
  const { world, startMs, booking } = await startPaced();
  // Its consumer refuses a dispatch that is handed out before it is due.
  const books = await finish(world);
  expectBalance(books, [booking]);
  expect(Math.max(...books.times.values())).toBe(1);
  const last = Math.max(...[...books.dispatches.values()].map(({ dispatchAt }) => Date.parse(dispatchAt)));
  expect(last).toBe(startMs + 40 * 60_000);
  await expectNothingSetAside(world);
});

test('case 22: a pacer killed between its sends and its put-back repeats and loses nothing', async () => {
  const { world, booking } = await startPaced();
  world.clock.advance(900_000);
  const { url } = world.queues.pacing;
  const onRequest = ({ command, input }: OutgoingRequest): RequestFault | undefined =>
    command === 'SendMessageBatch' && JSON.stringify(input).includes(`"${url}"`) ? 'crash before' : undefined;
  const pacer = world.worker({ onRequest });
  expect(await pacer.pace()).toBe('crashed');
  world.clock.advance(visibilityMs);
  const books = await finish(world);
  expectBalance(books, [booking]);
  expect(Math.max(...books.times.values())).toBe(2);
  await expectNothingSetAside(world);
});
