import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import { decodePacing } from './decode.ts';
import { handBack, type Invocation } from './invocation.ts';
import { publish } from './publish.ts';
import { quarantine, quarantineBroken, readDelivery } from './quarantine.ts';
import { isLastTry } from './receives.ts';
import { sendHandOffs } from './send-hand-offs.ts';
import { slotsOfPacing } from './slots.ts';

/**
 * Works off one batch of the pacing queue: what is due within 15 minutes goes to dispatch, the rest back to pacing. A
 * crash in between repeats the same dispatches under the same ids.
 */
export async function paceBatch(event: SQSEvent, invocation: Invocation): Promise<SQSBatchResponse> {
  const { ports, broken, failed } = invocation;
  const nowMs = ports.clock();
  const decoded = event.Records.map((record) => readDelivery(record, invocation, () => decodePacing(record, nowMs)));
  const bad = decoded.filter((one) => 'reason' in one);
  await publish([], await quarantine(bad, invocation), invocation);

  const paced = decoded.filter((one) => 'pacing' in one);
  await sendHandOffs(paced, slotsOfPacing, invocation);

  const lastTries = paced.filter(({ delivery }) => broken.has(delivery.messageId) && isLastTry(delivery));
  await quarantineBroken(lastTries, invocation);
  return handBack(failed, decoded, ports);
}
