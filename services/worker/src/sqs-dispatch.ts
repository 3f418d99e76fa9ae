import { type Dispatch, dispatchIdOf } from '@usher/contracts';
import { toRfc3339 } from '@usher/limiter-core';
import type { OutgoingMessage } from '@usher/sqs-batch';
import { type ChunkSlots, type Slot, type SlotOrigin, toPacing } from './dispatch-slots.ts';

/** The longest that SQS delays a message (API reference, SendMessage). */
const maxDelaySeconds = 900;

/** Messages of one chunk to send: slots within SQS's reach to the dispatch queue, the rest together to pacing. */
export interface Handoff {
  readonly dispatches: readonly OutgoingMessage[];
  readonly pacing: OutgoingMessage | undefined;
}

/**
 * Makes the messages that hand a chunk's slots on. A slot goes whole, so that its id always names the same rows.
 *
 * @param releaseAt when each slot may go out, in milliseconds since the Unix epoch
 */
export function handoffOf(
  { origin, slots }: ChunkSlots,
  { releaseAt, nowMs }: { releaseAt: ReadonlyMap<Slot, number>; nowMs: number },
): Handoff {
  const timed = slots.map((slot) => {
    const releaseAtMs = releaseAt.get(slot) ?? slot.dueAtMs;
    return { slot, delaySeconds: Math.max(0, Math.ceil((releaseAtMs - nowMs) / 1000)) };
  });
  const near = timed.filter(({ delaySeconds }) => delaySeconds <= maxDelaySeconds);
  const far = timed.filter(({ delaySeconds }) => delaySeconds > maxDelaySeconds);
  const dispatches = near.map(({ slot, delaySeconds }) => ({
    body: JSON.stringify(toDispatch(slot, origin)),
    groupId: origin.accountId,
    delaySeconds,
  }));
  if (far.length === 0) return { dispatches, pacing: undefined };
  // It comes back when its first slot is within reach, or after the longest delay to be put back again.
  const first = far.reduce((least, { delaySeconds }) => Math.min(least, delaySeconds), Number.POSITIVE_INFINITY);
  const pacing: OutgoingMessage = {
    body: JSON.stringify(toPacing({ origin, slots: far.map(({ slot }) => slot) })),
    groupId: origin.accountId,
    delaySeconds: Math.min(maxDelaySeconds, first - maxDelaySeconds),
  };
  return { dispatches, pacing };
}

function toDispatch(slot: Slot, { bookingId, chunk, accountId }: SlotOrigin): Dispatch {
  return {
    v: 1,
    dispatchId: dispatchIdOf({ bookingId, chunk, slot: slot.slot }),
    bookingId,
    accountId,
    dispatchAt: toRfc3339(slot.dueAtMs),
    reservations: slot.rows.map(({ dueAtMs: _, ...row }) => row),
  };
}
