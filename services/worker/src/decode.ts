import {
  AccountId,
  type Chunk,
  chunkDigest,
  type FieldErrors,
  jsonFault,
  parseJson,
  type QuarantineReason,
  readChunk,
} from '@usher/contracts';
import type { AccountChunk } from '@usher/limiter-core';
import type { SQSRecord } from 'aws-lambda';

/** A record that carries a chunk, with what settle needs of it. */
export interface ChunkRecord {
  readonly record: SQSRecord;
  readonly message: Chunk;
  readonly chunk: AccountChunk;
}

/** A record for quarantine. */
export interface RefusedRecord {
  readonly record: SQSRecord;
  readonly reason: QuarantineReason;
  /** What was wrong, by field (JSON pointers); never a value. */
  readonly problem: string;
  readonly accountId?: string;
}

/**
 * Parses a record's body. Numbers that no double keeps come out as what every schema refuses: `1e400` would else be
 * Infinity, which has no canonical JSON and so no digest. A name twice is refused: two readers could differ about it.
 */
export function decodeBody(record: SQSRecord): { readonly value: unknown } | RefusedRecord {
  const parsed = parseJson(record.body);
  switch (parsed.kind) {
    case 'value':
      return { value: parsed.value };
    case 'syntax':
      return refuse(record, 'invalid_json', `the body must be JSON: ${jsonFault(parsed)}`);
    case 'repeated_names':
      return invalidMessage(record, parsed);
    case 'too_deep':
      return refuse(record, 'invalid_message', 'the body must not be nested that deep');
  }
}

/** Refuses a record on behalf of its group, which is the account wherever our own services sent it. */
export function refuse(record: SQSRecord, reason: QuarantineReason, problem: string): RefusedRecord {
  // A group of another queue's making may be no account id; SQS allows it more characters.
  const group = record.attributes.MessageGroupId;
  return { record, reason, problem, ...(AccountId.allows(group) ? { accountId: group } : {}) };
}

/** Refuses a record whose body breaks its schema. */
export function invalidMessage(record: SQSRecord, { errors }: FieldErrors): RefusedRecord {
  const fields = errors.map(({ pointer, detail }) => `${pointer} ${detail}`.trimStart());
  return refuse(record, 'invalid_message', fields.join('; '));
}

/**
 * The furthest that an instant of a message may lie ahead of this machine's clock. No clock of AWS is two days wrong,
 * and a counter of the day after tomorrow still goes like any other; one of the year 9999 would stay for ever.
 */
const maxAheadMs = 2 * 86_400_000;

/** Refuses a message that tells of an instant which no clock of ours can have shown yet. */
export function inFuture<K extends string>(
  field: K,
  message: Readonly<Record<K, string>>,
  record: SQSRecord,
  nowMs: number,
): RefusedRecord | undefined {
  if (Date.parse(message[field]) - nowMs <= maxAheadMs) return undefined;
  return refuse(record, 'invalid_message', `/${field} must be no more than two days ahead`);
}

/**
 * Reads a record of the bookings queue. What cannot be read now never can be, for a message does not change; an instant
 * too far ahead is not waited for either.
 */
export function decode(record: SQSRecord, nowMs: number): ChunkRecord | RefusedRecord {
  const body = decodeBody(record);
  if ('reason' in body) return body;
  const read = readChunk(body.value);
  if (read.kind === 'invalid') return invalidMessage(record, read.fields);
  const message = read.value;
  return (
    foreignGroup(record, message.accountId) ??
    inFuture('acceptedAt', message, record, nowMs) ?? { record, message, chunk: toAccountChunk(message) }
  );
}

/**
 * A record whose group is not its account, refused. One group per account is what makes one writer per account, and
 * queues fair. An event without the attribute proves nothing.
 */
export function foreignGroup(record: SQSRecord, accountId: string): RefusedRecord | undefined {
  const group = record.attributes.MessageGroupId;
  if (group === undefined || group === accountId) return undefined;
  return refuse(record, 'group_mismatch', 'the message group must be the account');
}

function toAccountChunk(message: Chunk): AccountChunk {
  return {
    bookingId: message.bookingId,
    chunk: message.chunk,
    digest: chunkDigest(message),
    acceptedAt: Date.parse(message.acceptedAt),
    date: message.window.date,
    mode: message.mode,
    costs: message.reservations.map(({ cost }) => cost),
    ids: message.reservations.map(({ id }) => id),
  };
}
