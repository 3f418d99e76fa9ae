import { BookingAccepted, Problem } from '@usher/contracts';
import { expect, test } from 'vitest';
import { openIntake } from '../support/open-intake.ts';
import { at } from '../support/process-faults.ts';
import { messagesIn } from '../support/read-back.ts';
import { startWorld } from '../support/world.ts';

const body = { reservations: [{ id: 'A-17' }, { id: 'A-18' }] };

test('case 49: of 50 simultaneous repeats one is taken, and the others come back in a second', async () => {
  const world = await startWorld();
  const released = Promise.withResolvers<void>();
  const intake = openIntake(world, at('SendMessageBatch', 1, { stallUntil: released.promise }));
  const answers = Array.from({ length: 50 }, () => intake.post('ada', 'same', body));
  // Whoever claimed the booking is held at the queue until all others are answered.
  const busy = await firstOf(answers, 49);
  for (const answer of busy) {
    expect([answer.status, answer.headers.get('Retry-After')]).toEqual([409, '1']);
    expect(Problem.assert(await answer.json()).type).toBe('/problems/booking-busy');
  }
  released.resolve();
  const [taken, ...others] = (await Promise.all(answers)).filter(({ status }) => status === 202);
  expect([taken?.status, others]).toEqual([202, []]);
  const { bookingId } = BookingAccepted.assert(await taken?.json());

  // Whoever comes back then is answered as the one that was taken.
  world.clock.advance(1000);
  for (const again of await Promise.all(busy.map(() => intake.post('ada', 'same', body)))) {
    expect(BookingAccepted.assert(await again.json()).bookingId).toBe(bookingId);
  }
  expect(await messagesIn(world.clients, world.queues.bookings.url)).toBe(1);
});

/** The first so many of the answers, in the order in which they come. */
function firstOf(answers: readonly Promise<Response>[], count: number): Promise<Response[]> {
  return new Promise((resolve, reject) => {
    const come: Response[] = [];
    for (const answer of answers) {
      answer.then((one) => come.push(one) === count && resolve(come), reject);
    }
  });
}
