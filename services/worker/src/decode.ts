import { Chunk, chunkDigest } from '@usher/contracts';
import type { AccountChunk } from '@usher/limiter-core';
import { type } from 'arktype';
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
  /** What was wrong, by field; never a value. */
  readonly problem: string;
  readonly accountId?: string;
}

/** Reads a record of the bookings queue. What cannot be read now never can be, for a message does not change. */
export function decode(record: SQSRecord): ChunkRecord | RefusedRecord {
  const body = parse(record.body);
  if (body === undefined) return { record, reason: 'invalid_json', problem: 'the body is no JSON' };
  const message = Chunk(body);
  if (message instanceof type.errors) {
    // `expected`, not `message`, for the latter repeats the value.
    const problem = message.map(({ path, expected }) => `${path.stringify()} must be ${expected}`).join('; ');
    return { record, reason: 'invalid_message', problem };
  }
  // One group per account is what makes one writer per account. An event without the attribute proves nothing.
  const group = record.attributes.MessageGroupId;
  if (group !== undefined && group !== message.accountId) {
    return { record, reason: 'group_mismatch', problem: 'the message group must be the account', accountId: group };
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

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
