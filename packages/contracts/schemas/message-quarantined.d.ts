/** A message that can never be processed was put aside for an operator. */
export interface MessageQuarantined {
  /** The facts that the event tells. */
  data: {
    /** The id of the message on its queue. */
    messageId: string;
    /** The reason for which the message was put aside. */
    reason: 'digest_mismatch' | 'group_mismatch' | 'invalid_json' | 'invalid_message' | 'processing_failed' | 'too_old';
    /** The partner's account (an account id). */
    accountId?: string;
    /** The booking (a booking id). */
    bookingId?: string;
    /** The place of the chunk in its booking, from 0. A chunk is what is decided at once, up to 100 rows. */
    chunk?: number;
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
