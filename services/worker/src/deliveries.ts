import type { Chunk, Pacing, QuarantineReason, Reservation } from '@usher/contracts';
import type { ChunkKey, ChunkToSettle, Outcome } from '@usher/limiter-core/bulk';
import type { SQSRecord } from 'aws-lambda';

/** A chunk of a booking, with all that settling, its events and its dispatches need. */
export interface BookedChunk extends ChunkToSettle {
  readonly accountId: string;
  readonly window: Chunk['window'];
  /** The rows with their details, which leave by dispatch alone. */
  readonly rows: readonly Reservation[];
}

/** A delivery is one SQS record: a message as it was handed out this time. This one carries a chunk. */
export interface ChunkDelivery {
  readonly delivery: SQSRecord;
  readonly accountId: string;
  readonly chunk: BookedChunk;
}

/** A delivery whose chunk's verdict is on the account and in the ledger. */
export interface SettledDelivery extends ChunkDelivery {
  readonly outcome: Outcome;
  /** `new` for a first decision; else the place where the verdict was found. */
  readonly origin: 'new' | 'receipt' | 'ledger' | 'batch';
}

/** A delivery that carries slots of a chunk which still wait for their time. */
export interface PacingDelivery {
  readonly delivery: SQSRecord;
  readonly accountId: string;
  readonly pacing: Pacing;
}

/** A delivery that can never be worked off: it goes to quarantine. */
export interface BadDelivery {
  readonly delivery: SQSRecord;
  readonly reason: QuarantineReason;
  /** The fault, by field (JSON pointers); never a value. */
  readonly problem: string;
  /** Absent where nothing names an account. */
  readonly accountId?: string;
  /** The chunk that the body names; absent where nothing of it could be read. */
  readonly names?: ChunkKey;
}

/** A delivery that the code which reads it fails on: it comes again, like any that fails by itself. */
export interface UnreadDelivery {
  readonly delivery: SQSRecord;
  /** Its group, for of its body nothing is known. */
  readonly accountId?: string;
}
