import type { Pacing } from '@usher/contracts';
import { errorFields } from '@usher/service';
import type { PacingDelivery } from './deliveries.ts';
import type { Invocation } from './invocation.ts';

/** The id of a put-back: messages with the same one claim as one. */
export function copyIdOf({ bookingId, chunk, hop, copy }: Pacing): string {
  return `${bookingId}#${chunk}#${hop}#${copy}`;
}

/**
 * Claims the hops of pacing messages, before anything of them is sent. One that has lost is done with: another copy has
 * taken its slots over. One whose claim fails comes again.
 *
 * @returns those that may be passed on
 */
export async function claimHops(
  deliveries: readonly PacingDelivery[],
  { ports, isOverdue, failed }: Invocation,
): Promise<PacingDelivery[]> {
  const nowMs = ports.clock();
  const claimed = await Promise.all(
    deliveries.map(async (one) => {
      const { delivery, accountId, pacing } = one;
      const { bookingId, chunk: chunkIndex, hop, copy, reservations } = pacing;
      const { messageId } = delivery;
      const told = { accountId, bookingId, chunk: chunkIndex, hop, messageId };
      if (isOverdue()) {
        failed.add(messageId);
        return [];
      }
      const neededUntilMs = Math.max(nowMs, ...reservations.map(({ dispatchAt }) => Date.parse(dispatchAt)));
      try {
        if ((await ports.hops.claim({ bookingId, chunkIndex, hop, copy, neededUntilMs })) === 'won') return [one];
        ports.log.info('A copy of a pacing message is dropped', told);
      } catch (error) {
        failed.add(messageId);
        ports.log.error('A hop could not be claimed', { ...told, ...errorFields(error) });
      }
      return [];
    }),
  );
  return claimed.flat();
}
