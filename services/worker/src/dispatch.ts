import { toRfc3339 } from '@usher/limiter-core';
import { slotsOf } from './dispatch-slots.ts';
import { computeFor, type Invocation } from './invocation.ts';
import { type OwnedSlots, sendHandoffs } from './send-handoffs.ts';
import { distinctChunks, type SettledRecord } from './settle-records.ts';

/** Hands the granted rows of settled chunks on: what is due within 15 minutes to dispatch, the rest to pacing. */
export async function dispatch(settled: readonly SettledRecord[], invocation: Invocation): Promise<void> {
  const owned = distinctChunks(settled).flatMap((one) => {
    const owner = { messageId: one.record.messageId, accountId: one.message.accountId };
    return computeFor([owner], invocation, () => slotsToSend(one));
  });
  await sendHandoffs(owned, invocation);
}

function slotsToSend({ record, message, outcome }: SettledRecord): OwnedSlots {
  const { bookingId, chunk, accountId } = message;
  const { refillPerSecond, burst } = outcome;
  return {
    messageId: record.messageId,
    origin: { bookingId, chunk, accountId, settledAt: toRfc3339(outcome.settledAt), refillPerSecond, burst },
    slots: slotsOf(message.reservations, outcome),
  };
}
