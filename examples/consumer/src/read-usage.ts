import { Ajv2020 } from 'ajv/dist/2020.js';
import type { QuotaUsageRecorded } from './usage-event/quota-usage-recorded.d.ts';
import schema from './usage-event/quota-usage-recorded.json' with { type: 'json' };

/** A message holds no event that this consumer knows. It never will: after its last try it is a dead letter. */
export class BadEventError extends Error {
  override readonly name = 'BadEventError';
}

/** The published schema, as a type guard. */
const isUsage = new Ajv2020().compile<QuotaUsageRecorded>(schema);

/**
 * Reads the event that a rule has put on a queue: EventBridge's envelope, with the detail in it.
 *
 * @throws BadEventError, without a value of the event: what it tells goes to logs
 */
export function readUsage(body: string): QuotaUsageRecorded {
  const { detailType, detail } = openEnvelope(body);
  if (detailType !== schema.title)
    throw new BadEventError(`The rule is for "${schema.title}" and lets others through.`);
  if (isUsage(detail)) return detail;
  const faults = isUsage.errors?.map(({ instancePath, message }) => `${instancePath} ${message}`) ?? [];
  throw new BadEventError(`The detail breaks its schema: ${faults.join('; ')}`);
}

function openEnvelope(body: string): { readonly detailType: unknown; readonly detail: unknown } {
  const envelope = parse(body);
  if (typeof envelope !== 'object' || envelope === null || !('detail-type' in envelope) || !('detail' in envelope)) {
    throw new BadEventError('The message is no event of EventBridge.');
  }
  return { detailType: envelope['detail-type'], detail: envelope.detail };
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new BadEventError('The message is no JSON.', { cause: error });
  }
}
