/** A report of a day was written, or written anew, for one time zone's accounts or for all. */
export interface DailyQuotaReport {
  /** The facts that the event tells. */
  data: {
    /** The local day (a calendar day, YYYY-MM-DD). */
    date: string;
    /** The files of the report, without those of single accounts. */
    files: {
      /** The size of the file. */
      bytes: number;
      /** The name of the file, with its folders. */
      name: string;
      /** The SHA-256 digest of the file, in hexadecimal digits. */
      sha256: string;
    }[];
    /** The number of the report among those of its date and zone, from 1. */
    run: number;
    /** Provisional: something may still come. Complete: nothing is missing. Final: later facts go to later reports. */
    state: 'complete' | 'final' | 'provisional';
    /** The time zone whose day it is. */
    timezone: string;
    /** The day as a whole. */
    totals: {
      /** Accounts in the report. */
      accounts: number;
      /** Count and cost of the rows that were granted. */
      granted: {
        /** Their cost, in units of the quota. */
        cost: number;
        /** Rows. */
        count: number;
      };
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
    /** The metadata.id of the report that this one takes the place of. */
    supersedes?: string;
  };
  /** The event as such, whatever it tells. */
  metadata: {
    /** The id of the event. Events come at least once: an id seen before is a repeat. */
    id: string;
    /** The instant at which what the event tells happened (an RFC 3339 UTC instant with milliseconds). */
    occurredAt: string;
    /** The version of this schema. One field more or less is another version. */
    schemaVersion: 1;
    /** The id of the booking that caused the event. */
    correlationId?: string;
  };
}
