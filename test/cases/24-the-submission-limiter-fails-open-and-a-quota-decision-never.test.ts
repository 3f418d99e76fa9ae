import { expect, test } from 'vitest';
import { expectBalance, finish } from '../support/books.ts';
import { acceptedBy, book } from '../support/case.ts';
import { openIntake } from '../support/open-intake.ts';
import type { OutgoingRequest, RequestFault } from '../support/process-faults.ts';
import { messagesIn } from '../support/read-back.ts';
import { startWorld, visibilityMs } from '../support/world.ts';

const losing = (text: string) => ({
  onRequest: ({ input }: OutgoingRequest): RequestFault | undefined =>
    JSON.stringify(input).includes(text) ? 'request lost' : undefined,
});

test('case 24: where the store times out for the submission limiter, it fails open, logged and counted as such', async () => {
  const world = await startWorld();
  const intake = openIntake(world, losing('rate#'));
  const answer = await intake.post('ada', 'open', { reservations: [{ id: 'r0' }] });
  await acceptedBy(answer.clone());
  expect(answer.headers.has('RateLimit')).toBe(false);
  expect(intake.counts.get('SubmissionLimiterFailedOpen')).toBe(1);
  expect(intake.logged).toContainEqual(
    expect.objectContaining({ level: 'warn', message: 'submission limiter failed open' }),
  );
});

test.each(['BatchGetItem', 'UpdateItem'])(
  'case 24: where it times out for a quota decision (%s), nothing is granted',
  async (command) => {
    const world = await startWorld({ ada: { dailyLimit: 3 } });
    const booking = { accountId: 'ada', key: 'closed', costs: [2, 2] };
    const { bookingId } = await book(world, booking.accountId, booking.key, booking.costs);
    const onRequest = (request: OutgoingRequest): RequestFault | undefined =>
      request.command === command ? 'request lost' : undefined;
    expect(await world.worker({ onRequest }).settle()).toMatchObject({ handedBack: { length: 1 } });
    for (const queue of [world.queues.dispatch, world.queues.pacing, world.queues.events]) {
      expect(await messagesIn(world.clients, queue.url)).toBe(0);
    }
    world.clock.advance(visibilityMs);
    expectBalance(await finish(world), [{ ...booking, bookingId }], { ada: 3 });
  },
);
