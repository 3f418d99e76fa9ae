import { maxBatchBytes, type OutgoingMessage } from '@usher/sqs-batch';
import type { BadDelivery } from './deliveries.ts';

/** The most of a problem that is told, in UTF-16 units. */
const maxProblemLength = 4000;
/** The most that the frame takes, in bytes: six for each unit of the problem, and the other fields. */
const maxFrameBytes = 6 * maxProblemLength + 4096;
/**
 * The kept part of a body that would not fit, in UTF-16 units: even wholly escaped it fits. No body that our own services
 * send is cut: the largest chunk has 200 KiB of rows, and quotes and backslashes, all that is escaped in it, double at most.
 */
const cutBodyLength = 160_000;

/** The message that keeps a bad one where an operator sees it, with the reason and the original body. */
export function quarantineMessage({ delivery, reason, problem, accountId }: BadDelivery): OutgoingMessage {
  const { messageId, body, attributes } = delivery;
  const fits = Buffer.byteLength(JSON.stringify(body)) <= maxBatchBytes - maxFrameBytes;
  const text = fits ? body : body.slice(0, cutBodyLength).toWellFormed();
  return {
    body: JSON.stringify({
      v: 1,
      reason,
      problem: problem.slice(0, maxProblemLength).toWellFormed(),
      messageId,
      ...(accountId === undefined ? {} : { accountId }),
      sentTimestamp: attributes.SentTimestamp,
      body: text,
      truncated: text.length < body.length,
    }),
  };
}
