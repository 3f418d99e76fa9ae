import type { Chunk } from '@usher/contracts';
import { batchOf, bookingIdOf, chunkOf, deliveryOf, rowsOf } from './messages.ts';
import { handedBack, type TestWorker } from './test-worker.ts';

/** The n-th chunk of an account's one booking. */
export function chunk(
  accountId: string,
  n: number,
  costs: readonly number[] = [1],
  fields: Partial<Chunk> = {},
): Chunk {
  const bookingId = bookingIdOf(accountId.charCodeAt(0), fields.acceptedAt);
  return chunkOf({ accountId, bookingId, chunk: n, reservations: rowsOf(costs), ...fields });
}

/** A chunk's id, with which those of its events and dispatches begin. */
export function idOf({ bookingId, chunk: n }: Chunk): string {
  return `${bookingId}#${n}`;
}

/** Settles a batch of the named bodies and returns the names handed back. */
export async function settled(worker: TestWorker, bodies: Readonly<Record<string, Chunk | string>>): Promise<string[]> {
  return handedBack(await worker.settle(batchOf(bodies)));
}

/** The same, received for the `receives`-th time; a chunk in a list has a count of its own. */
export async function settledAt(
  worker: TestWorker,
  receives: number,
  chunks: Readonly<Record<string, Chunk | readonly [Chunk, number]>>,
): Promise<string[]> {
  const Records = Object.entries(chunks).map(([messageId, one]) => {
    const [body, count] = 'bookingId' in one ? [one, receives] : one;
    return deliveryOf(body, messageId, undefined, count);
  });
  return handedBack(await worker.settle({ Records }));
}

/** Everything that was published and sent since the last look, in full. */
export function told(worker: TestWorker): { events: unknown; dispatches: unknown; pacings: unknown } {
  const all = { events: [...worker.events()], dispatches: worker.dispatches(), pacings: worker.pacings() };
  worker.forget();
  return all;
}
