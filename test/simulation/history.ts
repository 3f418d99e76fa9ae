import type { SendMessageBatchRequestEntry } from '@aws-sdk/client-sqs';
import type { Bus } from './bus.ts';
import type { BookingPlan } from './scenario.ts';
import type { TableWrite } from './table.ts';

/** A chunk message as intake sent it. */
export interface ChunkMessage {
  readonly bookingId: string;
  readonly chunk: number;
  readonly chunks: number;
  readonly accountId: string;
  readonly acceptedAt: string;
  readonly window: {
    readonly date: string;
    readonly timezone: string;
    readonly startsAt: string;
    readonly resetsAt: string;
  };
  readonly mode: 'partial' | 'all-or-nothing';
  readonly reservations: readonly SentRow[];
}

/** A row as a message carries it. */
export interface SentRow {
  readonly id: string;
  readonly cost: number;
  readonly details?: object;
}

/** What a 202 said. */
export interface Accepted {
  readonly bookingId: string;
  readonly acceptedAt: string;
  readonly window: ChunkMessage['window'];
  readonly reservations: number;
  readonly chunks: number;
}

/** One booking as its partner has seen it. */
export interface BookingSeen {
  readonly plan: BookingPlan;
  firstSentAtMs: number;
  /** Decided rows as status pages have told them, each as far as it went. */
  readonly pages: (readonly string[])[];
  accepted?: { readonly answer: Accepted; readonly atMs: number };
}

/** The answer of `GET /v1/bookings/<id>`. */
export interface StatusPage {
  readonly status: string;
  readonly reservations: readonly { readonly id: string; readonly decision: string; readonly dispatchAt?: string }[];
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
  readonly sentAtMs: number;
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

/** What happened in a run, as its services saw it. It is what the promises are checked against. */
export class History {
  /** All writes of accounts' items, in order. */
  readonly accountWrites: (TableWrite & { readonly accountId: string; readonly policyRead: unknown })[] = [];
  readonly ledgerWrites: TableWrite[] = [];
  readonly bookings: BookingSeen[] = [];
  /** By chunk id, its messages; more than one where a key was used again after 90 days. */
  readonly chunks = new Map<string, ChunkSent[]>();
  readonly dispatches: DispatchSeen[] = [];
  readonly paced: PacedSeen[] = [];
  readonly quarantined: QuarantinedSeen[] = [];
  /** Ids of the messages that nobody can read. */
  readonly poison: string[] = [];
  /** Ids of chunks that were ever moved to the dead-letter queue. */
  readonly deadChunks = new Set<string>();
  readonly violations: Violation[] = [];
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
    if (queue === 'bookings.fifo') this.#chunkSent(JSON.parse(MessageBody) as ChunkMessage, atMs);
    else if (queue === 'quarantine') {
      const { body, messageId, reason } = JSON.parse(MessageBody) as Record<'body' | 'messageId' | 'reason', string>;
      const acceptedAt = /"acceptedAt":"([^"]+)"/.exec(body)?.[1];
      this.quarantined.push({ messageId, reason, chunkId: this.chunkIdOf(body), acceptedAt, atMs });
    } else if (queue === 'pacing') {
      const { bookingId, chunk, accountId, settledAt, reservations } = JSON.parse(MessageBody) as PacingBody;
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

  /** Notes what the booking system was handed. */
  dispatched(body: string, atMs: number): void {
    const { dispatchId, accountId, dispatchAt, reservations } = JSON.parse(body) as DispatchBody;
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
    const known = this.chunks.get(id) ?? [];
    this.chunks.set(id, known);
    this.bookingOwners.set(message.bookingId, message.accountId);
    const sent = known.find((other) => other.message.acceptedAt === message.acceptedAt);
    if (sent === undefined) known.push({ message, sentAtMs, lastSentAtMs: sentAtMs });
    else sent.lastSentAtMs = sentAtMs;
  }
}

interface DispatchBody {
  readonly dispatchId: string;
  readonly accountId: string;
  readonly dispatchAt: string;
  readonly reservations: readonly SentRow[];
}

interface PacingBody {
  readonly bookingId: string;
  readonly chunk: number;
  readonly accountId: string;
  readonly settledAt: string;
  readonly reservations: readonly { readonly dispatchAt: string }[];
}
