import type { QuarantineReason } from '@usher/contracts';
import type { Policy, Window } from '@usher/limiter-core/bulk';
import type { Amount, ByReason } from './figures.ts';

/** A usage event as far as a report reads it: the detail of `Quota Usage Recorded`. */
export interface UsageEvent {
  readonly metadata: { readonly id: string };
  readonly data: {
    readonly bookingId: string;
    /** 0-based index of the chunk within its booking. */
    readonly chunk: number;
    readonly window: Window;
    /** The daily limit that the chunk was decided under. */
    readonly limit: number;
    /** Instants, RFC 3339 in UTC with milliseconds. */
    readonly acceptedAt: string;
    readonly decidedAt: string;
    readonly mode: Policy['mode'];
    readonly granted: Amount;
    readonly rejected: { readonly byReason: ByReason };
    /** Rows that observe mode granted although the quota spoke against them; `granted` has them too. */
    readonly observed?: { readonly byReason: ByReason };
  };
}

/** A quarantine event as far as a report reads it: the detail of `Message Quarantined`. */
export interface QuarantineEvent {
  readonly metadata: { readonly id: string };
  readonly data: {
    readonly reason: QuarantineReason;
    /** The chunk in the message, where it could be read. */
    readonly bookingId?: string;
    readonly chunk?: number;
  };
}

/** An event received after its window closed and the time allowed had passed. */
export interface LateEvent {
  readonly eventId: string;
  readonly receivedAt: string;
}

/** A booking's header. */
export interface HeaderFact {
  readonly bookingId: string;
  readonly acceptedAt: string;
  readonly rows: number;
  readonly chunks: number;
  readonly status: 'accepting' | 'accepted';
}

/** A window's counter on the account item. */
export interface CounterFact {
  readonly used: number;
  readonly rejected: number;
  readonly over: number;
  readonly limit: number | null;
}

/** A decided chunk as the ledger has it. */
export interface LedgerFact {
  readonly bookingId: string;
  readonly chunkIndex: number;
  readonly grantedCost: number;
  readonly rejectedCost: number;
  /** The part of the granted cost that only observe mode granted. */
  readonly overCost: number;
}

/** An account's granted cost that was not due yet at the instant looked at, and when the last of it is due. */
export interface BacklogFact {
  readonly cost: number;
  readonly clearsAt: string | null;
  readonly lookedAt: string;
}

/** The facts of one account's day. The order of events and their repeats do not matter. */
export interface AccountDayFacts {
  readonly accountId: string;
  /** The local day, `YYYY-MM-DD`, and its zone: the one whose window ended last. */
  readonly date: string;
  readonly timezone: string;
  readonly window: Pick<Window, 'startsAt' | 'resetsAt'>;
  readonly usageEvents: readonly UsageEvent[];
  readonly quarantineEvents: readonly QuarantineEvent[];
  /** Deliveries of events that had been there before. Repeats within the lists are counted besides. */
  readonly repeats: number;
  readonly lateEvents: readonly LateEvent[];
  readonly headers: readonly HeaderFact[];
  /** The counter before events and ledger were read; undefined where it could not be. */
  readonly counter: CounterFact | undefined;
  /** The counter after they were read. Where it differs, it moved, and nothing is compared. */
  readonly counterAfter: CounterFact | undefined;
  /** Undefined where it was not read. */
  readonly ledger: readonly LedgerFact[] | undefined;
  /** The policy as it is now; undefined where it is not known. */
  readonly policy: Pick<Policy, 'dailyLimit' | 'mode'> | undefined;
  readonly backlog: BacklogFact | undefined;
  /** Dead letters that name the account; undefined where nobody looked. */
  readonly deadLetters: number | undefined;
}
