import type { Pacing } from '@usher/contracts';
import { chunkIdOf } from '@usher/limiter-core/bulk';
import { errorFields } from '@usher/service';
import type { PacingDelivery } from './deliveries.ts';
import type { Invocation } from './invocation.ts';

/** The id of a put-back: messages with the same one claim as one. */
export function copyIdOf({ bookingId, chunk, hop, copy }: Pacing): string {
  return `${bookingId}#${chunk}#${hop}#${copy}`;
}

/**
 * Claims the hops of pacing messages, before anything of them is sent. One that has lost is done with: another copy has
 * taken its slots over. One whose claim fails comes again. Of the messages of one chunk the latest hop claims first, and
 * so at most one is passed on: else a message and its own put-back could both win, and their slots would share one rate.
 *
 * @returns those that may be passed on
 */
export async function claimHops(
  deliveries: readonly PacingDelivery[],
  invocation: Invocation,
): Promise<PacingDelivery[]> {
  const nowMs = invocation.ports.clock();
  const ofOneChunk = Map.groupBy(deliveries, ({ pacing: { bookingId, chunk: chunkIndex } }) =>
    chunkIdOf({ bookingId, chunkIndex }),
  );
  const claimed = await Promise.all(
    [...ofOneChunk.values()].map(async (own) => {
      const won: PacingDelivery[] = [];
      for (const one of own.toSorted((a, b) => b.pacing.hop - a.pacing.hop)) {
        if (await claimHop(one, nowMs, invocation)) won.push(one);
      }
      return won;
    }),
  );
  return claimed.flat();
}

/** Claims the hop of one message; false where it is not to be passed on now. */
async function claimHop(
  { delivery, accountId, pacing }: PacingDelivery,
  nowMs: number,
  { ports, isOverdue, failed }: Invocation,
): Promise<boolean> {
  const { bookingId, chunk: chunkIndex, hop, copy, reservations } = pacing;
  const { messageId } = delivery;
  const told = { accountId, bookingId, chunk: chunkIndex, hop, messageId };
  if (isOverdue()) {
    failed.add(messageId);
    return false;
  }
  const neededUntilMs = Math.max(nowMs, ...reservations.map(({ dispatchAt }) => Date.parse(dispatchAt)));
  try {
    if ((await ports.hops.claim({ bookingId, chunkIndex, hop, copy, neededUntilMs })) === 'won') return true;
    ports.log.info('A copy of a pacing message is dropped', told);
  } catch (error) {
    failed.add(messageId);
    ports.log.error('A hop could not be claimed', { ...told, ...errorFields(error) });
  }
  return false;
}
