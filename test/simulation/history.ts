import type { SendMessageBatchRequestEntry } from '@aws-sdk/client-sqs';
import { bookingKeyOf } from '@usher/contracts';
import type { Bus } from './bus.ts';
import type { BookingPlan } from './scenario.ts';
import type { TableWrite } from './table.ts';
import { type Accepted, type ChunkMessage, read, type SentRow, type StatusPage } from './wire.ts';

/** One booking as its partner has seen it. */
export interface BookingSeen {
  readonly plan: BookingPlan;
  firstSentAtMs: number;
  /** Decided rows as status pages have told them, each as far as it went. */
  readonly pages: (readonly string[])[];
  accepted?: { readonly answer: Accepted; readonly atMs: number };
}

/** The rows of a status page, one text each. */
export function rowsOfPage({ reservations }: StatusPage): string[] {
  return reservations.map(({ id, decision, dispatchAt = '' }) => `${id} ${decision} ${dispatchAt}`);
}

/** A dispatch as the booking system got it. */
export interface DispatchSeen {
  readonly dispatchId: string;
  readonly accountId: string;
  readonly dispatchAtMs: number;
  readonly rows: readonly SentRow[];
  readonly atMs: number;
  readonly body: string;
}

/** A chunk message as the bookings queue took it first, and when it took it last. */
export interface ChunkSent {
  readonly message: ChunkMessage;
  lastSentAtMs: number;
}

/** A message that the pacing queue took. */
export interface PacedSeen {
  readonly chunkId: string;
  readonly accountId: string;
  readonly settledAtMs: number;
  readonly sentAtMs: number;
  readonly availableAtMs: number;
  readonly firstDueAtMs: number;
}

/** A message that was put aside. */
export interface QuarantinedSeen {
  readonly messageId: string;
  readonly reason: string;
  /** The chunk it carries, if it carries one. */
  readonly chunkId: string | undefined;
  readonly acceptedAt: string | undefined;
  readonly atMs: number;
}

export interface Violation {
  /** 1–7: a promise of architecture.md; 0: another sentence of architecture.md or contracts.md. */
  readonly promise: 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7;
  readonly message: string;
}

/** The events of a run as its services saw them: the promises are checked against it. */
export class History {
  /** All writes of accounts' items, in order. */
  readonly accountWrites: (TableWrite & { readonly accountId: string; readonly policyRead: unknown })[] = [];
  readonly ledgerWrites: TableWrite[] = [];
  readonly bookings: BookingSeen[] = [];
  /** Messages by chunk id. */
  readonly chunks = new Map<string, ChunkSent>();
  readonly dispatches: DispatchSeen[] = [];
  readonly paced: PacedSeen[] = [];
  /** Partition keys of the hops that were ever claimed. */
  readonly claimed = new Set<string>();
  /** The most messages of one chunk's hops that were ever alive at once, dead letters included. */
  mostCopies = 0;
  readonly quarantined: QuarantinedSeen[] = [];
  /** Ids of the messages that nobody can read. */
  readonly poison: string[] = [];
  /** Ids of chunks that were ever moved to the dead-letter queue. */
  readonly deadChunks = new Set<string>();
  readonly violations: Violation[] = [];
  /** Accounts by booking key. */
  readonly bookingOwners = new Map<string, string>();
  readonly #bus: Bus;

  constructor(bus: Bus) {
    this.#bus = bus;
  }

  get events(): Bus['taken'] {
    return this.#bus.taken;
  }

  /** Notes what a queue took. */
  sent(queue: string, { MessageBody = '', DelaySeconds = 0 }: SendMessageBatchRequestEntry, atMs: number): void {
    if (queue === 'bookings.fifo') this.#chunkSent(read.chunk(MessageBody), atMs);
    else if (queue === 'quarantine') {
      const { body, messageId, reason } = read.quarantined(MessageBody);
      const acceptedAt = /"acceptedAt":"([^"]+)"/.exec(body)?.[1];
      this.quarantined.push({ messageId, reason, chunkId: this.chunkIdOf(body), acceptedAt, atMs });
    } else if (queue === 'pacing') {
      const { bookingId, chunk, accountId, settledAt, reservations } = read.pacing(MessageBody);
      this.paced.push({
        chunkId: `${bookingId}#${chunk}`,
        accountId,
        settledAtMs: Date.parse(settledAt),
        sentAtMs: atMs,
        availableAtMs: atMs + DelaySeconds * 1000,
        firstDueAtMs: Math.min(...reservations.map(({ dispatchAt }) => Date.parse(dispatchAt))),
      });
    }
  }

  /** The instants at which an account's chunks were last sent. */
  chunkSentAt(accountId: string): number[] {
    const sent = [...this.chunks.values()].flat();
    return sent.filter(({ message }) => message.accountId === accountId).map(({ lastSentAtMs }) => lastSentAtMs);
  }

  /** Notes what the booking system was handed. */
  dispatched(body: string, atMs: number): void {
    const { dispatchId, accountId, dispatchAt, reservations } = read.dispatch(body);
    const dispatchAtMs = Date.parse(dispatchAt);
    this.dispatches.push({ dispatchId, accountId, dispatchAtMs, rows: reservations, atMs, body });
  }

  /** The chunk that a body carries, if it carries one. */
  chunkIdOf(body: string): string | undefined {
    for (const [, bookingId = '', chunk = ''] of body.matchAll(/"bookingId":"([^"]+)","chunk":(\d+)/g)) {
      return `${bookingId}#${chunk}`;
    }
    return undefined;
  }

  #chunkSent(message: ChunkMessage, sentAtMs: number): void {
    const id = `${message.bookingId}#${message.chunk}`;
    this.bookingOwners.set(bookingKeyOf(message.bookingId), message.accountId);
    const sent = this.chunks.get(id);
    if (sent === undefined) this.chunks.set(id, { message, lastSentAtMs: sentAtMs });
    else sent.lastSentAtMs = sentAtMs;
  }
}
