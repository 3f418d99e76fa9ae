import type { QuarantineEvent, UsageEvent } from '../model/facts.ts';

/**
 * One delivery of an event. The same message delivered again is the same delivery; an event that was published twice has two.
 * A replay of the archive is a delivery of its own, which counts as no repeat.
 */
export interface Delivery {
  readonly id: string;
  readonly isReplay: boolean;
  /** The instant at which the queue took the message: the same each time it hands it out. */
  readonly receivedAtMs: number;
}

/** A usage event as it was delivered. It lies under its account, the date of its window, its id and its delivery. */
export interface UsageFact {
  readonly accountId: string;
  readonly event: UsageEvent;
  readonly delivery: Delivery;
}

/** A quarantine event as it was delivered. It tells no window, so it lies under a day of UTC ({@link quarantineDay}). */
export interface QuarantineFact {
  /** Absent where the message named no account. */
  readonly accountId?: string;
  readonly occurredAtMs: number;
  readonly event: QuarantineEvent;
  readonly delivery: Delivery;
}

/**
 * A mark on a date: an event of it was stored when a report of it may have been made already. It names no zone: an account that
 * moved has its events of all zones in the report of the last one. One mark a date stands, the latest. Where only a booking is
 * known, the mark is on that booking.
 */
export type LateMark = { readonly storedAtMs: number } & (
  | { readonly date: string }
  | { readonly accountId: string; readonly bookingId: string }
);

/**
 * A store of what events told. Every put can be repeated: the same content lies under the same key. Reads are consistent. A
 * method rejects where it failed; what it had put by then stays.
 */
export interface EventFacts {
  /** Puts facts; the map tells by {@link factId} which of them failed. */
  put(facts: {
    readonly usage: readonly UsageFact[];
    readonly quarantined: readonly QuarantineFact[];
  }): Promise<ReadonlyMap<string, Error>>;
  /** Remembers accounts for good. */
  noteAccounts(accountIds: readonly string[]): Promise<void>;
  noteLate(marks: readonly LateMark[]): Promise<void>;
  /** The deliveries of an account's usage events of a date, in every zone. */
  usage(accountId: string, date: string): Promise<readonly UsageFact[]>;
  /** The deliveries of quarantine events that lie under a day of UTC. */
  quarantined(day: string): Promise<readonly QuarantineFact[]>;
  /** Every account of a shard that an event of usage ever named. */
  accounts(shard: number): AsyncIterable<string>;
  marks(): Promise<readonly LateMark[]>;
}

/** The name of a delivery's fact: one name, one key. */
export function factId({ event, delivery }: UsageFact | QuarantineFact): string {
  return `${event.metadata.id}#${delivery.id}`;
}

/** The mark's name: a later one of the same name takes its place. */
export function markId(mark: LateMark): string {
  return 'date' in mark ? mark.date : `${mark.accountId}#${mark.bookingId}`;
}
