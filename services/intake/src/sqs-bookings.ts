import type { SQSClient } from '@aws-sdk/client-sqs';
import type { Chunk, HeaderItem, Reservation } from '@usher/contracts';
import { chunkIdOf, type RetryEnvironment } from '@usher/limiter-core/bulk';
import { sendAll } from '@usher/sqs-batch';

export interface BookingQueueOptions {
  readonly sqs: SQSClient;
  readonly queueUrl: string;
  readonly retry: RetryEnvironment;
  /** Called for each call that failed or left entries behind, with their booking and number. */
  readonly onFailure: (problem: unknown, of: { accountId: string; bookingId: string; entries: number }) => void;
}

/** Puts bookings on `bookings.fifo`, in chunks. */
export interface BookingQueue {
  /**
   * Sends all chunks of a booking, in order. True where SQS took every one of them.
   *
   * @param slices the booking's rows, cut into chunks
   * @param isOverdue true once this attempt may not send any more
   */
  send(header: HeaderItem, slices: readonly Reservation[][], isOverdue: () => boolean): Promise<boolean>;
}

/**
 * Order holds between calls: a later call is made only once the earlier is complete. Within one call SQS decides entry
 * by entry, so a chunk that was refused and sent again may end up behind up to nine that followed it. Bookings never
 * overtake each other by that: this one is answered, and the next submitted, only when all of it is queued.
 */
export class SqsBookings implements BookingQueue {
  readonly #options: BookingQueueOptions;

  constructor(options: BookingQueueOptions) {
    this.#options = options;
  }

  async send(header: HeaderItem, slices: readonly Reservation[][], isOverdue: () => boolean): Promise<boolean> {
    const { sqs, queueUrl, retry, onFailure } = this.#options;
    const messages = chunksOf(header, slices).map((chunk) => ({
      body: JSON.stringify(chunk),
      groupId: chunk.accountId,
      deduplicationId: chunkIdOf({ bookingId: chunk.bookingId, chunkIndex: chunk.chunk }),
    }));
    const { accountId, bookingId } = header;
    const untaken = await sendAll({
      sqs,
      queueUrl,
      messages,
      retry,
      onFailure: (problem, { length: entries }) => onFailure(problem, { accountId, bookingId, entries }),
      isOverdue,
      ordered: true,
    });
    return untaken.size === 0;
  }
}

/** A booking's messages: the header says all that the rows do not, so that every attempt makes the same. */
function chunksOf(header: HeaderItem, slices: readonly Reservation[][]): Chunk[] {
  const { bookingId, accountId, acceptedAt, window, mode } = header;
  return slices.map((reservations, chunkIndex) => ({
    v: 1,
    kind: 'chunk',
    bookingId,
    chunk: chunkIndex,
    chunks: slices.length,
    accountId,
    acceptedAt,
    window,
    mode,
    reservations,
  }));
}
