/** Usage has reached a share of the account's daily limit. */
export interface QuotaThresholdReached {
  /** The facts that the event tells. */
  data: {
    /** The partner's account (an account id). */
    accountId: string;
    /** The daily limit that the chunk was decided by. */
    limit: number;
    /** The share of the limit that usage has reached. */
    threshold: number;
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
