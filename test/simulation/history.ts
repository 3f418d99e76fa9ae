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
  readonly reservations: readonly { readonly id: string; readonly cost: number }[];
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

/** A message that the dispatch queue took. */
export interface DispatchSeen {
  readonly dispatchId: string;
  readonly dispatchAtMs: number;
  readonly bookingId: string;
  readonly rows: readonly { readonly id: string; readonly cost: number }[];
  readonly availableAtMs: number;
  readonly body: string;
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
  readonly chunks = new Map<string, { readonly message: ChunkMessage; readonly sentAtMs: number }[]>();
  readonly dispatches: DispatchSeen[] = [];
  /** Bodies of quarantined messages. */
  readonly quarantined: string[] = [];
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
    else if (queue === 'quarantine') this.quarantined.push((JSON.parse(MessageBody) as { body: string }).body);
    else if (queue === 'dispatch') {
      const { dispatchId, dispatchAt, bookingId, reservations } = JSON.parse(MessageBody) as DispatchBody;
      this.dispatches.push({
        dispatchId,
        dispatchAtMs: Date.parse(dispatchAt),
        bookingId,
        rows: reservations,
        availableAtMs: atMs + DelaySeconds * 1000,
        body: MessageBody,
      });
    }
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
    if (!known.some((other) => other.message.acceptedAt === message.acceptedAt)) known.push({ message, sentAtMs });
  }
}

interface DispatchBody {
  readonly dispatchId: string;
  readonly dispatchAt: string;
  readonly bookingId: string;
  readonly reservations: readonly { readonly id: string; readonly cost: number }[];
}
