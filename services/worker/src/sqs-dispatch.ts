import { type Dispatch, dispatchIdOf, type Pacing } from '@usher/contracts';
import { type Rate, toRfc3339 } from '@usher/limiter-core';
import type { OutgoingMessage } from '@usher/sqs-batch';
import { type Release, type Slot, toPacing } from './dispatch-slots.ts';

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
 * @param release when the slots of this account go out, shared between its chunks
 */
export function handoffOf(
  slots: readonly Slot[],
  of: Omit<Pacing, 'v' | 'reservations'> & Rate,
  { release, nowMs }: { release: Release; nowMs: number },
): Handoff {
  const times = release.times(slots, of);
  const delays = times.map((releaseAtMs) => Math.max(0, Math.ceil((releaseAtMs - nowMs) / 1000)));
  const far = delays.findIndex((seconds) => seconds > maxDelaySeconds);
  const near = far < 0 ? slots : slots.slice(0, far);
  const dispatches = near.map((slot, i) => ({
    body: JSON.stringify(toDispatch(slot, of)),
    groupId: of.accountId,
    delaySeconds: delays[i] ?? 0,
  }));
  if (far < 0) return { dispatches, pacing: undefined };
  // It comes back when its first slot is within reach, or after the longest delay to be put back again.
  const pacing: OutgoingMessage = {
    body: JSON.stringify(toPacing(slots.slice(far), pick(of))),
    groupId: of.accountId,
    delaySeconds: Math.min(maxDelaySeconds, (delays[far] ?? 0) - maxDelaySeconds),
  };
  return { dispatches, pacing };
}

function toDispatch(slot: Slot, { bookingId, chunk, accountId }: Pick<Pacing, 'bookingId' | 'chunk' | 'accountId'>) {
  const dispatch: Dispatch = {
    v: 1,
    dispatchId: dispatchIdOf({ bookingId, chunk, slot: slot.slot }),
    bookingId,
    accountId,
    dispatchAt: toRfc3339(slot.dueAtMs),
    reservations: slot.rows.map(({ dueAtMs: _, ...row }) => row),
  };
  return dispatch;
}

function pick(of: Omit<Pacing, 'v' | 'reservations'>): Omit<Pacing, 'v' | 'reservations'> {
  const { bookingId, chunk, accountId, settledAt, refillPerSecond, burst } = of;
  return { bookingId, chunk, accountId, settledAt, refillPerSecond, burst };
}
