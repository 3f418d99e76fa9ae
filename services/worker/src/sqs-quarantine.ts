import type { OutgoingMessage } from '@usher/sqs-batch';
import type { RefusedRecord } from './decode.ts';

/** The most of a body that is kept, in UTF-16 units: even wholly escaped it fits SQS's 1 MiB with its frame. */
const maxBodyLength = 160_000;

/** The message that keeps a refused one where an operator sees it, with the reason and the original body. */
export function quarantineMessage({ record, reason, problem, accountId }: RefusedRecord): OutgoingMessage {
  const { messageId, body, attributes } = record;
  const text = body.length > maxBodyLength ? body.slice(0, maxBodyLength).toWellFormed() : body;
  return {
    body: JSON.stringify({
      v: 1,
      reason,
      problem: problem.slice(0, 4000).toWellFormed(),
      messageId,
      ...(accountId === undefined ? {} : { accountId }),
      sentTimestamp: attributes.SentTimestamp,
      body: text,
      truncated: text.length < body.length,
    }),
  };
}
