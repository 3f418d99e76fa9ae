import { type Rate, schedule } from '@usher/limiter-core/bulk';
import type { ChunkSlots, Slot } from './slots.ts';

/**
 * The release time of a slot: the instant at which it may go out, never before it is due. What is overdue at `nowMs` (after
 * a crash, an outage) goes from then on at the bucket's rate instead of all at once. Chunks of one account that were
 * settled under one rate share it, so that their overdue slots do not add up; each rate is kept for itself, or a slow one
 * of yesterday would hold up what a faster one has promised since.
 *
 * @returns each slot's release time, in milliseconds since the Unix epoch
 */
export function releaseTimes(chunks: readonly ChunkSlots[], nowMs: number): ReadonlyMap<Slot, number> {
  const times = new Map<Slot, number>();
  const sharing = Map.groupBy(chunks, ({ accountId, refillPerSecond, burst }) => {
    return `${accountId} ${refillPerSecond} ${burst}`;
  });
  for (const [first, ...others] of sharing.values()) {
    if (first === undefined) continue;
    const slots = [first, ...others].flatMap((chunk) => chunk.slots);
    for (const [slot, releaseAtMs] of releaseInOrder(slots, first, nowMs)) times.set(slot, releaseAtMs);
  }
  return times;
}

/** By due time, whatever order their chunks came in: behind one due in ten minutes none may wait that is due now. */
function releaseInOrder(slots: readonly Slot[], rate: Rate, nowMs: number): [Slot, number][] {
  const inOrder = slots.toSorted((a, b) => a.dueAtMs - b.dueAtMs);
  // A slot above the burst has waited for its cost before it was due. Were it to wait from now on, then again at the
  // next hop, it would never go; so the bucket has been full for as long as the first slot needs.
  const waitedMs = Math.ceil((Math.max(0, (inOrder[0]?.cost ?? 0) - rate.burst) / rate.refillPerSecond) * 1000);
  const { dueAtMs } = schedule(
    { nowMs: nowMs - waitedMs, debtMicros: 0 },
    rate,
    inOrder.map(({ cost }) => cost),
    inOrder.map((slot) => Math.max(nowMs, slot.dueAtMs)),
  );
  return inOrder.map((slot, i) => [slot, dueAtMs[i] ?? slot.dueAtMs]);
}
