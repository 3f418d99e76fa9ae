import { MessageQuarantined, QuotaUsageRecorded, windowProblem } from '@usher/contracts';
import { UsherError } from '@usher/limiter-core/bulk';
import { type } from 'arktype';
import type { SQSRecord } from 'aws-lambda';
import type { Delivery, QuarantineFact, UsageFact } from './store/event-facts.ts';

/** The detail-types that reports are made of; the rule passes no others. */
export const reportedDetailTypes = ['Quota Usage Recorded', 'Message Quarantined'] as const;

/** A message holds no event that this version can read. */
export class UnreadableEventError extends UsherError {
  override readonly name = 'UnreadableEventError';
}

/** An event as EventBridge puts it into a queue; a replay's name is there where an archive is replayed. */
const Envelope = type('string.json.parse').to({
  id: 'string > 0',
  'detail-type': 'string',
  detail: 'object',
  'replay-name?': 'string > 0',
});

/** The fact in a message; undefined for an event of which reports take nothing. */
export type ReadDelivery =
  | { readonly kind: 'usage'; readonly fact: UsageFact }
  | { readonly kind: 'quarantined'; readonly fact: QuarantineFact };

/**
 * Reads a message of the report's queue.
 *
 * @throws UnreadableEventError
 */
export function readDelivery({ body, attributes }: SQSRecord): ReadDelivery | undefined {
  const envelope = checked(Envelope(body));
  const replay = envelope['replay-name'];
  const delivery: Delivery = {
    id: replay === undefined ? envelope.id : `replay/${replay}`,
    isReplay: replay !== undefined,
    receivedAtMs: Number(attributes.SentTimestamp),
  };
  if (envelope['detail-type'] === 'Quota Usage Recorded') {
    const event = checked(QuotaUsageRecorded(envelope.detail));
    // A window of a thousand years would have more hours than a closer can count.
    const problem = windowProblem(event.data);
    if (problem !== undefined) {
      throw new UnreadableEventError(`data.${problem.path.join('.')} must be ${problem.expected}`);
    }
    return { kind: 'usage', fact: { accountId: event.data.accountId, event, delivery } };
  }
  if (envelope['detail-type'] !== 'Message Quarantined') return undefined;
  const event = checked(MessageQuarantined(envelope.detail));
  const { accountId } = event.data;
  return {
    kind: 'quarantined',
    fact: {
      ...(accountId === undefined ? {} : { accountId }),
      occurredAtMs: Date.parse(event.metadata.occurredAt),
      event,
      delivery,
    },
  };
}

function checked<T>(read: T | type.errors): T {
  // Paths and expectations only: a summary would quote what the event holds.
  if (read instanceof type.errors) {
    throw new UnreadableEventError(
      read.map(({ path, expected }) => `${path.join('.')} must be ${expected}`).join('; '),
    );
  }
  return read;
}
