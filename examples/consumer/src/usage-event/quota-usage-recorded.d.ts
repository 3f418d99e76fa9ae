/** The decision on one chunk of a booking: what it granted and rejected, and the usage after it. */
export interface QuotaUsageRecorded {
  /** The facts that the event tells. */
  data: {
    /** The instant at which the booking was accepted. It decides the chunk's day (an RFC 3339 UTC instant with milliseconds). */
    acceptedAt: string;
    /** The partner's account (an account id). */
    accountId: string;
    /** The booking (a booking id). */
    bookingId: string;
    /** The place of the chunk in its booking, from 0. A chunk is what is decided at once, up to 100 rows. */
    chunk: number;
    /** The instant at which the chunk was decided (an RFC 3339 UTC instant with milliseconds). */
    decidedAt: string;
    /** Count and cost of the rows that were granted. */
    granted: {
      /** Their cost, in units of the quota. */
      cost: number;
      /** Rows. */
      count: number;
    };
    /** The daily limit that the chunk was decided by. */
    limit: number;
    /** The mode of the policy: observe grants what enforce would reject for the quota. */
    mode: 'enforce' | 'observe';
    /** Count and cost of the rows that were rejected. */
    rejected: {
      /** The same by reason, of reasons that occurred; they add up to count and cost. */
      byReason: {
        /** Rows that did not fit what was left of the day. */
        daily_quota_exceeded?: {
          /** Their cost, in units of the quota. */
          cost: number;
          /** Rows. */
          count: number;
        };
        /** Rows that cost more than the whole daily limit. */
        exceeds_limit?: {
          /** Their cost, in units of the quota. */
          cost: number;
          /** Rows. */
          count: number;
        };
        /** Rows that would have been due more than 12 days after their decision. */
        pacing_backlog_full?: {
          /** Their cost, in units of the quota. */
          cost: number;
          /** Rows. */
          count: number;
        };
      };
      /** Their cost, in units of the quota. */
      cost: number;
      /** Rows. */
      count: number;
    };
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
    /** Count and cost of granted rows that enforce mode would have rejected. Only in observe mode. */
    observed?: {
      /** The same by reason, of reasons that occurred; they add up to count and cost. */
      byReason: {
        /** Rows that did not fit what was left of the day. */
        daily_quota_exceeded?: {
          /** Their cost, in units of the quota. */
          cost: number;
          /** Rows. */
          count: number;
        };
        /** Rows that cost more than the whole daily limit. */
        exceeds_limit?: {
          /** Their cost, in units of the quota. */
          cost: number;
          /** Rows. */
          count: number;
        };
        /** Rows that would have been due more than 12 days after their decision. */
        pacing_backlog_full?: {
          /** Their cost, in units of the quota. */
          cost: number;
          /** Rows. */
          count: number;
        };
      };
      /** Their cost, in units of the quota. */
      cost: number;
      /** Rows. */
      count: number;
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
