import { IdempotencyKey } from '@usher/contracts';
import { type Acceptance, type AcceptPorts, acceptBooking } from './accept-booking.ts';
import { readBody, readBooking } from './read-body.ts';
import { type Refusal, refusal } from './refusal.ts';
import type { RequestLimits } from './request-limits.ts';

export type SubmitPorts = AcceptPorts & { readonly limits: RequestLimits };

/** Problems that cost the sender nothing: its submission was not judged. */
const free: ReadonlySet<Refusal['problem']> = new Set(['unavailable', 'request-limit-exceeded']);

/**
 * Takes one submission. An account that has used up its rate of refused and repeated submissions is refused before the
 * body is read. It is refused before the body is parsed, if the body is larger than what is left of the rate.
 */
export async function submitBooking(
  request: Request,
  accountId: string,
  ports: SubmitPorts,
): Promise<Acceptance | Refusal> {
  const { limits } = ports;
  const limited = limits.beforeParsing(accountId, 0);
  if (limited !== undefined) return limited;
  let parsedBytes = 0;
  const result = await take(request, accountId, ports, (bytes) => {
    parsedBytes = bytes;
    return limits.beforeParsing(accountId, bytes);
  });
  if (isRepeat(result)) limits.chargeRepeat(accountId, parsedBytes);
  else if (result.kind === 'refused' && !free.has(result.problem)) {
    limits.chargeRefusal(accountId, parsedBytes, result.fields?.errorCount);
  }
  return result;
}

/** True where the same was accepted before, or is being accepted by another request. */
function isRepeat(result: Acceptance | Refusal): boolean {
  return result.kind === 'accepted' ? result.replayed : result.problem === 'booking-busy';
}

async function take(
  request: Request,
  accountId: string,
  ports: AcceptPorts,
  beforeParsing: (bytes: number) => Refusal | undefined,
): Promise<Acceptance | Refusal> {
  const body = await readBody(request);
  if (body.kind === 'refused') return body;
  const idempotencyKey = request.headers.get('Idempotency-Key');
  if (!IdempotencyKey.allows(idempotencyKey)) {
    return refusal('invalid-idempotency-key', `Send one Idempotency-Key header of ${IdempotencyKey.description}.`);
  }
  const limited = beforeParsing(body.bytes.byteLength);
  if (limited !== undefined) return limited;
  const read = readBooking(body);
  if (read.kind === 'refused') return read;
  return acceptBooking(ports, { accountId, idempotencyKey, request: read.value });
}
