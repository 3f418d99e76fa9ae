import {
  AccountId,
  type Chunk,
  chunkDigest,
  type FieldErrors,
  jsonFault,
  parseJson,
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

/** Why a record goes to quarantine: it can never be decoded, or its chunk can never be settled. */
export type QuarantineReason = 'invalid_json' | 'invalid_message' | 'group_mismatch' | 'digest_mismatch' | 'too_old';

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
      return { record, reason: 'invalid_json', problem: `the body must be JSON: ${jsonFault(parsed)}` };
    case 'repeated_names':
      return invalidMessage(record, parsed);
    case 'too_deep':
      return { record, reason: 'invalid_message', problem: 'the body must not be nested that deep' };
  }
}

/** Refuses a record whose body breaks its schema. */
export function invalidMessage(record: SQSRecord, { errors }: FieldErrors): RefusedRecord {
  const fields = errors.map(({ pointer, detail }) => `${pointer} ${detail}`.trimStart());
  return { record, reason: 'invalid_message', problem: fields.join('; ') };
}

/** Reads a record of the bookings queue. What cannot be read now never can be, for a message does not change. */
export function decode(record: SQSRecord): ChunkRecord | RefusedRecord {
  const body = decodeBody(record);
  if ('reason' in body) return body;
  const read = readChunk(body.value);
  if (read.kind === 'refused') return invalidMessage(record, read.fields);
  const message = read.value;
  // One group per account is what makes one writer per account. An event without the attribute proves nothing.
  const group = record.attributes.MessageGroupId;
  if (group !== undefined && group !== message.accountId) {
    // A group of another queue's making may be no account id; SQS allows it more characters.
    const accountId = AccountId.allows(group) ? { accountId: group } : {};
    return { record, reason: 'group_mismatch', problem: 'the message group must be the account', ...accountId };
  }
  return { record, message, chunk: toAccountChunk(message) };
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
