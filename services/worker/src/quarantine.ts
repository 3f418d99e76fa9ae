import { errorFields } from '@usher/service';
import type { SQSRecord } from 'aws-lambda';
import { badDelivery } from './decode.ts';
import type { BadDelivery, UnreadDelivery } from './deliveries.ts';
import { type Invocation, sendOwned } from './invocation.ts';
import { workerMetrics } from './metrics.ts';
import { publish } from './publish.ts';
import { isLastTry } from './receives.ts';
import { quarantineMessage } from './sqs-quarantine.ts';

/**
 * Puts the messages of bad deliveries aside, where an operator sees them; one that cannot be put aside comes again.
 *
 * @returns those that are in quarantine now
 */
export async function quarantine(bad: readonly BadDelivery[], invocation: Invocation): Promise<BadDelivery[]> {
  if (bad.length === 0) return [];
  const { ports, failed } = invocation;
  const owned = bad.map((one) => ({ ...one, message: quarantineMessage(one) }));
  await sendOwned(ports.config.quarantineQueueUrl, owned, invocation);
  const taken = bad.filter(({ delivery }) => !failed.has(delivery.messageId));
  for (const { delivery, reason, accountId } of taken) {
    ports.log.error('A message is quarantined', { accountId, messageId: delivery.messageId, reason });
  }
  ports.meter.count(workerMetrics.quarantined, taken.length);
  return taken;
}

/**
 * Puts aside messages that failed by themselves at their last try. They are failed no longer, so whoever keeps an order
 * has marked as failed before what stands behind them.
 */
export async function quarantineBroken(
  deliveries: readonly Pick<Required<BadDelivery>, 'delivery' | 'accountId' | 'names'>[],
  invocation: Invocation,
): Promise<void> {
  for (const { delivery } of deliveries) invocation.failed.delete(delivery.messageId);
  const bad = deliveries.map((one): BadDelivery => {
    const problem = problemOf(invocation.broken.get(one.delivery.messageId));
    return { ...one, reason: 'processing_failed', problem };
  });
  await publish([], await quarantine(bad, invocation), invocation);
}

/** Reads a delivery. Where the code that reads it fails, it comes again, and goes to quarantine at its last try. */
export function readDelivery<T>(
  delivery: SQSRecord,
  { ports, failed }: Invocation,
  read: () => T,
): T | BadDelivery | UnreadDelivery {
  try {
    return read();
  } catch (error) {
    const bad = badDelivery(delivery, 'processing_failed', problemOf(error));
    const { accountId } = bad;
    const { messageId } = delivery;
    ports.log.error('A message could not be processed', { accountId, messageId, ...errorFields(error) });
    if (isLastTry(delivery)) return bad;
    failed.add(messageId);
    return accountId === undefined ? { delivery } : { delivery, accountId };
  }
}

/** The thrown error as far as a log may tell it, down to its first cause. */
function problemOf(thrown: unknown): string {
  const told: string[] = [];
  for (
    let error = [errorFields(thrown).error];
    error[0] !== undefined;
    error = error[0].cause ? [error[0].cause] : []
  ) {
    const [{ name, message }] = error;
    told.push(message === undefined ? name : `${name}: ${message}`);
  }
  return told.join('; cause: ');
}
