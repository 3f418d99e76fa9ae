import { toRfc3339 } from '@usher/limiter-core';
import { Release, slotsOf } from './dispatch-slots.ts';
import type { Invocation } from './invocation.ts';
import { sendHandoffs } from './send-handoffs.ts';
import { distinctChunks, type SettledRecord } from './settle-records.ts';
import { handoffOf } from './sqs-dispatch.ts';

/** Hands the granted rows of settled chunks on: what is due within 15 minutes to dispatch, the rest to pacing. */
export async function dispatch(settled: readonly SettledRecord[], invocation: Invocation): Promise<void> {
  const nowMs = invocation.deps.clock();
  const releases = new Map<string, Release>();
  const handoffs = distinctChunks(settled).map(({ record, message, outcome }) => {
    const { bookingId, chunk, accountId } = message;
    const release = releases.get(accountId) ?? new Release(nowMs);
    releases.set(accountId, release);
    const { refillPerSecond, burst } = outcome;
    const origin = { bookingId, chunk, accountId, settledAt: toRfc3339(outcome.settledAt), refillPerSecond, burst };
    const slots = slotsOf(message.reservations, outcome);
    return { messageId: record.messageId, handoff: handoffOf(slots, origin, { release, nowMs }) };
  });
  await sendHandoffs(handoffs, invocation);
}
