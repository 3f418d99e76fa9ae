/** Rows of one chunk that were rejected, or in observe mode would have been. A long list comes in parts. */
export interface ReservationsRejected {
  /** The facts that the event tells. */
  data: {
    /** The partner's account (an account id). */
    accountId: string;
    /** The booking (a booking id). */
    bookingId: string;
    /** The place of the chunk in its booking, from 0. A chunk is what is decided at once, up to 100 rows. */
    chunk: number;
    /** The daily limit that the chunk was decided by. */
    limit: number;
    /** The mode of the policy: observe grants what enforce would reject for the quota. */
    mode: 'enforce' | 'observe';
    /** The rows, in the order of the booking. */
    reservations: {
      /** The cost of the row, in units of the quota. */
      cost: number;
      /** The partner's name for the row, unique in its booking (a string of 1 to 128 characters, free of control characters, lone surrogates, U+FFFE and U+FFFF). */
      id: string;
      /** The reason against the row. */
      reason: 'daily_quota_exceeded' | 'exceeds_limit' | 'pacing_backlog_full';
    }[];
    /** The cost granted in the window so far, this chunk included. */
    used: number;
    /** The account's local day that the chunk counts in. */
    window: {
      /** The local day (a calendar day, YYYY-MM-DD). */
      date: string;
      /** The first instant after the day: 23 or 25 hours later where clocks change (an RFC 3339 UTC instant with milliseconds). */
      resetsAt: string;
      /** The first instant of the day (an RFC 3339 UTC instant with milliseconds). */
      startsAt: string;
      /** The time zone whose day it is (an IANA time zone name). */
      timezone: string;
    };
  };
  /** The event as such, whatever it tells. */
  metadata: {
    /** The id of the booking that caused the event (a booking id). */
    correlationId: string;
    /** The id of the event. Events come at least once: an id seen before is a repeat. */
    id: string;
    /** The instant at which what the event tells happened (an RFC 3339 UTC instant with milliseconds). */
    occurredAt: string;
    /** The version of this schema. One field more or less is another version. */
    schemaVersion: 1;
  };
}
