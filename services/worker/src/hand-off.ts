import { type Dispatch, dispatchIdOf, maxDelaySeconds, type Pacing, pacingReserveSeconds } from '@usher/contracts';
import { toRfc3339 } from '@usher/limiter-core/bulk';
import type { OutgoingMessage } from '@usher/sqs-batch';
import type { ChunkSlots, Slot } from './slots.ts';

/** The messages that hand a chunk's slots on: those within SQS's reach to dispatch, the rest together to pacing. */
export interface HandOff {
  readonly dispatches: readonly OutgoingMessage[];
  readonly pacing: OutgoingMessage | undefined;
}

export interface HandOffOptions {
  /** The instant at which each slot may go out, in milliseconds since the Unix epoch. */
  readonly releaseAt: ReadonlyMap<Slot, number>;
  readonly nowMs: number;
  /** The token of this put-back: random, and of no other one. */
  readonly copy: string;
}

/** Makes the messages that hand a chunk's slots on. A slot goes whole, so that its id always names the same rows. */
export function handOff(chunk: ChunkSlots, { releaseAt, nowMs, copy }: HandOffOptions): HandOff {
  const timed = chunk.slots.map((slot) => {
    const releaseAtMs = releaseAt.get(slot) ?? slot.dueAtMs;
    return { slot, delaySeconds: Math.max(0, Math.ceil((releaseAtMs - nowMs) / 1000)) };
  });
  const near = timed.filter(({ delaySeconds }) => delaySeconds <= maxDelaySeconds);
  const far = timed.filter(({ delaySeconds }) => delaySeconds > maxDelaySeconds);
  const dispatches = near.map(({ slot, delaySeconds }) => ({
    body: JSON.stringify(toDispatch(slot, chunk)),
    groupId: chunk.accountId,
    delaySeconds,
  }));
  if (far.length === 0) return { dispatches, pacing: undefined };
  const delays = far.map(({ delaySeconds }) => delaySeconds);
  const pacing: OutgoingMessage = {
    body: JSON.stringify(toPacing({ ...chunk, slots: far.map(({ slot }) => slot) }, copy)),
    groupId: chunk.accountId,
    delaySeconds: hopSeconds({ first: Math.min(...delays), last: Math.max(...delays) }),
  };
  return { dispatches, pacing };
}

/**
 * A hop's length: a pacing message waits until its last slot is within reach, so that one look hands on all of them, yet
 * not past the reserve before its first. (Back as soon as the first is within reach, a chunk of a hundred slots would hop
 * a hundred times.)
 */
function hopSeconds({ first, last }: { first: number; last: number }): number {
  return Math.min(maxDelaySeconds, last - maxDelaySeconds, first - pacingReserveSeconds);
}

function toDispatch(slot: Slot, { bookingId, chunkIndex, accountId }: ChunkSlots): Dispatch {
  return {
    v: 1,
    dispatchId: dispatchIdOf({ bookingId, chunkIndex, slot: slot.slot }),
    bookingId,
    accountId,
    dispatchAt: toRfc3339(slot.dueAtMs),
    reservations: slot.rows.map(({ dueAtMs: _, ...row }) => row),
  };
}

/** The pacing message that holds a chunk's slots for later. */
export function toPacing(chunk: ChunkSlots, copy: string): Pacing {
  return {
    v: 1,
    bookingId: chunk.bookingId,
    chunk: chunk.chunkIndex,
    accountId: chunk.accountId,
    settledAt: toRfc3339(chunk.settledAtMs),
    refillPerSecond: chunk.refillPerSecond,
    burst: chunk.burst,
    hop: chunk.nextHop,
    copy,
    reservations: chunk.slots.flatMap(({ rows }) =>
      rows.map(({ dueAtMs, ...row }) => ({ ...row, dispatchAt: toRfc3339(dueAtMs) })),
    ),
  };
}
