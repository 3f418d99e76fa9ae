import { type Dispatch, dispatchIdOf, maxDelaySeconds, pacingReserveSeconds } from '@usher/contracts';
import { toRfc3339 } from '@usher/limiter-core';
import type { OutgoingMessage } from '@usher/sqs-batch';
import { type ChunkSlots, type Slot, type SlotOrigin, toPacing } from './dispatch-slots.ts';

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
  const delays = far.map(({ delaySeconds }) => delaySeconds);
  const pacing: OutgoingMessage = {
    body: JSON.stringify(toPacing({ origin, slots: far.map(({ slot }) => slot) })),
    groupId: origin.accountId,
    delaySeconds: hopSeconds({ first: Math.min(...delays), last: Math.max(...delays) }),
  };
  return { dispatches, pacing };
}

/**
 * How long a pacing message waits: until its last slot is within reach, so that one look hands on all of them, yet not
 * past the reserve before its first. (Back as soon as the first is within reach, a chunk of a hundred slots would hop
 * a hundred times.)
 */
function hopSeconds({ first, last }: { first: number; last: number }): number {
  return Math.min(maxDelaySeconds, last - maxDelaySeconds, first - pacingReserveSeconds);
}

function toDispatch(slot: Slot, { bookingId, chunk, accountId }: SlotOrigin): Dispatch {
  return {
    v: 1,
    dispatchId: dispatchIdOf({ bookingId, chunkIndex: chunk, slot: slot.slot }),
    bookingId,
    accountId,
    dispatchAt: toRfc3339(slot.dueAtMs),
    reservations: slot.rows.map(({ dueAtMs: _, ...row }) => row),
  };
}
