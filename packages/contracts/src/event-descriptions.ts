import type { JsonSchema } from './json-schemas.ts';

/** The meaning of each event, by its detail-type. */
export const eventMeanings = {
  'Reservations Rejected':
    'Rows of one chunk that were rejected, or in observe mode would have been. A long list comes in parts.',
  'Quota Usage Recorded':
    'The decision on one chunk of a booking: what it granted and rejected, and the usage after it.',
  'Quota Threshold Reached': "Usage has reached a share of the account's daily limit.",
  'Message Quarantined': 'A message that can never be processed was put aside for an operator.',
  'Daily Quota Report': "A report of a day was written, or written anew, for one time zone's accounts or for all.",
} as const;

/**
 * The meaning of each field of an event, by its name. Where one name means two things, the name of what holds it stands
 * before it.
 */
const fieldMeanings: ReadonlyMap<string, string> = new Map(
  Object.entries({
    metadata: 'The event as such, whatever it tells.',
    'metadata.id': 'The id of the event. Events come at least once: an id seen before is a repeat.',
    occurredAt: 'The instant at which what the event tells happened.',
    schemaVersion: 'The version of this schema. One field more or less is another version.',
    correlationId: 'The id of the booking that caused the event.',
    data: 'The facts that the event tells.',
    accountId: "The partner's account.",
    bookingId: 'The booking.',
    chunk: 'The place of the chunk in its booking, from 0. A chunk is what is decided at once, up to 100 rows.',
    acceptedAt: "The instant at which the booking was accepted. It decides the chunk's day.",
    decidedAt: 'The instant at which the chunk was decided.',
    window: "The account's local day that the chunk counts in.",
    date: 'The local day.',
    timezone: 'The time zone whose day it is.',
    startsAt: 'The first instant of the day.',
    resetsAt: 'The first instant after the day: 23 or 25 hours later where clocks change.',
    limit: 'The daily limit that the chunk was decided by.',
    used: 'The cost granted in the window so far, this chunk included.',
    mode: 'The mode of the policy: observe grants what enforce would reject for the quota.',
    granted: 'Count and cost of the rows that were granted.',
    rejected: 'Count and cost of the rows that were rejected.',
    observed: 'Count and cost of granted rows that enforce mode would have rejected. Only in observe mode.',
    byReason: 'The same by reason, of reasons that occurred; they add up to count and cost.',
    count: 'Rows.',
    cost: 'Their cost, in units of the quota.',
    daily_quota_exceeded: 'Rows that did not fit what was left of the day.',
    exceeds_limit: 'Rows that cost more than the whole daily limit.',
    pacing_backlog_full: 'Rows that would have been due more than 12 days after their decision.',
    reservations: 'The rows, in the order of the booking.',
    'reservations.id': "The partner's name for the row, unique in its booking.",
    'reservations.cost': 'The cost of the row, in units of the quota.',
    'reservations.reason': 'The reason against the row.',
    threshold: 'The share of the limit that usage has reached.',
    reason: 'The reason for which the message was put aside.',
    messageId: 'The id of the message on its queue.',
    state:
      'Provisional: something may still come. Complete: nothing is missing. Final: later facts go to later reports.',
    run: 'The number of the report among those of its date and zone, from 1.',
    supersedes: 'The metadata.id of the report that this one takes the place of.',
    totals: 'The day as a whole.',
    accounts: 'Accounts in the report.',
    files: 'The files of the report, without those of single accounts.',
    name: 'The name of the file, with its folders.',
    bytes: 'The size of the file.',
    sha256: 'The SHA-256 digest of the file, in hexadecimal digits.',
  }),
);

/** A field of an event has no description. */
export class UndescribedFieldError extends Error {
  override readonly name = 'UndescribedFieldError';
}

/**
 * Adds to every field of an event's schema what it means, and keeps after it the rule of texts: a pattern says it badly.
 *
 * @throws UndescribedFieldError
 */
export function describeEvent(schema: JsonSchema, meaning: string): JsonSchema {
  return { description: meaning, ...describeFields(schema, '') };
}

function describeFields(schema: JsonSchema, holder: string): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (keyword === 'items' && isObject(value)) return [keyword, describeFields(value, holder)];
      if (keyword !== 'properties' || !isObject(value)) return [keyword, value];
      return [
        keyword,
        Object.fromEntries(Object.entries(value).map(([name, of]) => [name, describeField(of, name, holder)])),
      ];
    }),
  );
}

function describeField(schema: unknown, name: string, holder: string): JsonSchema {
  const meaning = fieldMeanings.get(`${holder}.${name}`) ?? fieldMeanings.get(name);
  if (meaning === undefined || !isObject(schema))
    throw new UndescribedFieldError(`${holder}.${name} has no description`);
  const { description: rule, ...rest } = describeFields(schema, name);
  const isRuled = rest.type === 'string' && typeof rule === 'string';
  return { description: isRuled ? `${meaning.replace(/\.$/, '')} (${rule}).` : meaning, ...rest };
}

function isObject(value: unknown): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
