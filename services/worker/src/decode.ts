import {
  AccountId,
  BookingId,
  type Chunk,
  ChunkIndex,
  chunkDigest,
  type FieldErrors,
  jsonFault,
  parseJson,
  type QuarantineReason,
  readChunk,
  readPacing,
} from '@usher/contracts';
import { type } from 'arktype';
import type { SQSRecord } from 'aws-lambda';
import type { BadDelivery, BookedChunk, ChunkDelivery, PacingDelivery } from './deliveries.ts';

/**
 * The furthest that an instant of a message may lie ahead of this machine's clock. No clock of AWS is two days wrong,
 * and a counter of the day after tomorrow still goes like any other; one of the year 9999 would stay for ever.
 */
const maxAheadMs = 2 * 86_400_000;

/**
 * Reads a delivery of the bookings queue. One that cannot be read now never can be, for a message does not change; an
 * instant too far ahead is not waited for either.
 */
export function decodeChunk(delivery: SQSRecord, nowMs: number): ChunkDelivery | BadDelivery {
  const body = decodeBody(delivery);
  if ('reason' in body) return body;
  const read = readChunk(body.value);
  if (read.kind === 'invalid') return badFields(delivery, read.fields, body.value);
  const { value: message } = read;
  const { accountId } = message;
  return (
    foreignGroup(message, delivery) ??
    inFuture('acceptedAt', message, delivery, nowMs) ?? { delivery, accountId, chunk: bookedChunk(message) }
  );
}

/** Reads a delivery of the pacing queue, under the same rules. */
export function decodePacing(delivery: SQSRecord, nowMs: number): PacingDelivery | BadDelivery {
  const body = decodeBody(delivery);
  if ('reason' in body) return body;
  const read = readPacing(body.value);
  if (read.kind === 'invalid') return badFields(delivery, read.fields, body.value);
  const { value: pacing } = read;
  const { accountId } = pacing;
  return (
    foreignGroup(pacing, delivery) ??
    // Due at an instant that never comes, it would hop for ever.
    inFuture('settledAt', pacing, delivery, nowMs) ?? { delivery, accountId, pacing }
  );
}

/** A bad delivery of its group, which is the account wherever our own services sent it. */
export function badDelivery(
  delivery: SQSRecord,
  reason: QuarantineReason,
  problem: string,
  body?: unknown,
): BadDelivery {
  // A group of another queue's making may be no account id; SQS allows it more characters.
  const group = delivery.attributes.MessageGroupId;
  return {
    delivery,
    reason,
    problem,
    ...(AccountId.allows(group) ? { accountId: group } : {}),
    // A body with other faults still tells which chunk will not come: a report need not wait for it.
    ...(Named.allows(body) ? { names: { bookingId: body.bookingId, chunkIndex: body.chunk } } : {}),
  };
}

/** The fields by which chunks and pacing messages name their chunk. */
const Named = type({ bookingId: BookingId, chunk: ChunkIndex });

/**
 * Parses a delivery's body. A number that no double keeps comes out as what every schema refuses: `1e400` would else be
 * Infinity, which has no canonical JSON and so no digest. A name twice is bad: two readers could differ about it.
 */
function decodeBody(delivery: SQSRecord): { readonly value: unknown } | BadDelivery {
  const parsed = parseJson(delivery.body);
  switch (parsed.kind) {
    case 'value':
      return { value: parsed.value };
    case 'syntax':
      return badDelivery(delivery, 'invalid_json', `the body must be JSON: ${jsonFault(parsed)}`);
    case 'repeated_names':
      return badFields(delivery, parsed);
    case 'too_deep':
      return badDelivery(delivery, 'invalid_message', 'the body must not be nested that deep');
  }
}

/** A delivery whose body breaks its schema. */
function badFields(delivery: SQSRecord, { errors }: FieldErrors, body?: unknown): BadDelivery {
  const fields = errors.map(({ pointer, detail }) => `${pointer} ${detail}`.trimStart());
  return badDelivery(delivery, 'invalid_message', fields.join('; '), body);
}

/** A delivery of an instant which no clock of ours can have shown yet; undefined for any other. */
function inFuture<K extends string>(
  field: K,
  message: Readonly<Record<K, string>>,
  delivery: SQSRecord,
  nowMs: number,
): BadDelivery | undefined {
  if (Date.parse(message[field]) - nowMs <= maxAheadMs) return undefined;
  return badDelivery(delivery, 'invalid_message', `/${field} must be no more than two days ahead`, message);
}

/**
 * A delivery whose group is not its account; undefined for any other. One group per account is what makes one writer per
 * account, and queues fair. An event without the attribute proves nothing.
 */
function foreignGroup(message: { readonly accountId: string }, delivery: SQSRecord): BadDelivery | undefined {
  const group = delivery.attributes.MessageGroupId;
  if (group === undefined || group === message.accountId) return undefined;
  return badDelivery(delivery, 'group_mismatch', 'the message group must be the account', message);
}

/** The chunk that a message carries. Its rows stay as they came. */
export function bookedChunk(message: Chunk): BookedChunk {
  return {
    accountId: message.accountId,
    bookingId: message.bookingId,
    chunkIndex: message.chunk,
    digest: chunkDigest(message),
    acceptedAtMs: Date.parse(message.acceptedAt),
    date: message.window.date,
    window: message.window,
    bookingMode: message.mode,
    rows: message.reservations,
  };
}
