import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { claimHops, copyIdOf } from './claim-hops.ts';
import { decodePacing } from './decode.ts';
import { handBack, type Invocation } from './invocation.ts';
import { publish } from './publish.ts';
import { quarantine, quarantineBroken, readDelivery } from './quarantine.ts';
import { isLastTry } from './receives.ts';
import { sendHandOffs } from './send-hand-offs.ts';
import { slotsOfPacing } from './slots.ts';

/**
 * Works off one batch of the pacing queue: what is due within 15 minutes goes to dispatch, the rest back to pacing. Each
 * message claims its hop first, and one that loses sends nothing. A crash at any point repeats the same claim and the
 * same dispatches under the same ids.
 */
export async function paceBatch(event: SQSEvent, invocation: Invocation): Promise<SQSBatchResponse> {
  const { ports, broken, failed } = invocation;
  const nowMs = ports.clock();
  const decoded = event.Records.map((record) => readDelivery(record, invocation, () => decodePacing(record, nowMs)));
  const bad = decoded.filter((one) => 'reason' in one);
  await publish([], await quarantine(bad, invocation), invocation);

  const paced = decoded.filter((one) => 'pacing' in one);
  const copies = [...Map.groupBy(paced, ({ pacing }) => copyIdOf(pacing)).values()];
  const firsts = copies.flatMap(([first]) => first ?? []);
  await sendHandOffs(await claimHops(firsts, invocation), slotsOfPacing, invocation);

  const lastTries = firsts.filter(({ delivery }) => broken.has(delivery.messageId) && isLastTry(delivery));
  await quarantineBroken(
    lastTries.map((one) => ({ ...one, names: { bookingId: one.pacing.bookingId, chunkIndex: one.pacing.chunk } })),
    invocation,
  );
  // The same put-back twice in one batch is one message: what became of the first became of all.
  for (const [first, ...repeats] of copies) {
    if (first === undefined || !failed.has(first.delivery.messageId)) continue;
    for (const { delivery } of repeats) failed.add(delivery.messageId);
  }
  return handBack(failed, decoded, ports);
}
