import {
  BookingCounts,
  BookingState,
  DecidedReservation,
  GrantedReservation,
  ListedBooking,
  RejectedReservation,
  ReservationId,
  ReservationRequest,
} from './booking.ts';
import { Details } from './details.ts';
import { AccountId, BookingId, BookingMode, Cost, Instant, PlainDate, RejectReason, Window } from './fields.ts';
import { bodySchemas, type JsonSchema, schemasOf } from './json-schemas.ts';
import { portablePattern } from './portable-pattern.ts';
import { problemSchemas } from './problem-schemas.ts';
import { PolicyAnswer } from './quota.ts';
import { cleanTextPattern } from './text.ts';

const parts = {
  AccountId,
  BookingId,
  BookingMode,
  BookingState,
  Cost,
  Details,
  Instant,
  PlainDate,
  RejectReason,
  ReservationId,
  BookingCounts,
  DecidedReservation,
  GrantedReservation,
  ListedBooking,
  Policy: PolicyAnswer,
  RejectedReservation,
  ReservationRequest,
  Window,
};

export type ComponentName = keyof typeof parts | keyof typeof bodySchemas;

const clean = { pattern: portablePattern(cleanTextPattern) };
const anyDetail = { $ref: '#/components/schemas/Detail' };

/** Descriptions beyond names and types: each value of an enum, and the rules that JSON Schema cannot express. */
const notes: Partial<Record<ComponentName, JsonSchema>> = {
  AccountId: { description: "The account, as the caller's token names it.", examples: ['acme'] },
  BookingId: { description: 'The id that Usher gave the booking.' },
  Instant: {
    description: 'An instant: RFC 3339 in UTC, with milliseconds.',
    format: 'date-time',
    examples: ['2026-11-29T09:30:00.000Z'],
  },
  PlainDate: { description: "A local calendar day of the account's.", format: 'date', examples: ['2026-11-29'] },
  BookingMode: {
    description:
      '`partial`: each reservation is granted where it fits. `all-or-nothing`: the whole booking is granted, or none of ' +
      'it; it must fit one chunk of 100 rows and 200 KiB.',
  },
  BookingState: {
    description:
      '`accepting`: still being queued. `pending`: queued, and not yet decided throughout. `decided`: every reservation ' +
      'is decided, for good.',
  },
  RejectReason: {
    description:
      "`daily_quota_exceeded`: what was granted before leaves too little of the day's limit. `exceeds_limit`: it would " +
      'not fit an empty day either. `pacing_backlog_full`: so much is waiting to be handed on that its turn would come ' +
      'more than 12 days after the decision; in observe mode too this is a rejection.',
  },
  Cost: { description: 'Units of the quota that a reservation takes.' },
  Details: {
    propertyNames: clean,
    additionalProperties: anyDetail,
    description:
      'Anything for the booking system: a JSON object of at most 4,096 bytes, nested at most 64 levels deep, whose ' +
      'numbers a double holds exactly as written, and whose strings and names are free of control characters. It is ' +
      'handed on with the reservation, and is in no event or log.',
  },
  ReservationId: {
    description:
      "The client's name of the reservation, unique within the booking: 1 to 128 code points without control " +
      'characters, lone surrogates, U+FFFE and U+FFFF.',
  },
  ReservationRequest: { description: 'One reservation. Its cost is 1 where left out.' },
  BookingCounts: { description: 'Reservations of the booking, by verdict.' },
  DecidedReservation: { description: 'A reservation with its verdict, which never changes.' },
  GrantedReservation: { description: 'Granted; handed on to the booking system at `dispatchAt` at the earliest.' },
  RejectedReservation: { description: 'Rejected; it took nothing of the quota.' },
  ListedBooking: {
    description:
      'A booking in a list. `date` is that of its window; `granted` and `rejected` are told once it is decided.',
  },
  Policy: {
    description:
      'What the account may spend, and how fast it is handed on. `mode` is `enforce`, or `observe`: then what the quota ' +
      'would reject is granted, and events tell of it.',
  },
  Window: {
    description: "A local day of the account's, in which its limit holds, from startsAt until just before resetsAt.",
  },
  BookingRequest: { description: 'A bulk booking. `mode` is `partial` where left out.' },
  BookingAccepted: { description: 'An accepted booking: every reservation will be decided, in this window.' },
  BookingStatus: {
    description:
      'One page of decided reservations, in the order of submission, up to the first undecided one. Without nextCursor ' +
      'it is the last page of a decided booking.',
  },
  BookingList: { description: 'Bookings, newest first. Without nextCursor it is the last page.' },
  Quota: {
    description:
      'What one day took of the limit. `remaining` is never below 0; `rejected` is cost that took nothing of it; ' +
      '`policy` is the one that holds now.',
  },
  Health: { description: 'The API answers.' },
  ProblemPage: { description: "What a problem's `type` leads to." },
  Problem: { description: 'An error (RFC 9457). `type` leads to what it means and what to do.' },
};

/** A value within details. No type makes it: details are checked by hand, in one walk. */
const Detail: JsonSchema = {
  description: 'Any JSON without control characters.',
  anyOf: [
    { type: 'string', ...clean },
    { type: ['number', 'boolean', 'null'] },
    { type: 'array', items: anyDetail },
    { type: 'object', propertyNames: clean, additionalProperties: anyDetail },
  ],
};

/** The named schemas of the API. A schema refers to its parts by their names. */
export const componentSchemas: Readonly<Record<string, JsonSchema>> = {
  ...named({ ...schemasOf(parts), ...bodySchemas }),
  Detail,
  ...problemSchemas,
};

function named(schemas: Readonly<Record<string, JsonSchema>>): Readonly<Record<string, JsonSchema>> {
  const nameOf = new Map(Object.entries(schemas).map(([name, schema]) => [JSON.stringify(schema), name]));
  const refer = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(refer);
    if (typeof value !== 'object' || value === null) return value;
    const name = nameOf.get(JSON.stringify(value));
    return name === undefined ? inside(value) : { $ref: `#/components/schemas/${name}` };
  };
  const inside = (schema: object): JsonSchema =>
    Object.fromEntries(Object.entries(schema).map(([keyword, value]) => [keyword, refer(value)]));
  const noteOf = new Map(Object.entries(notes));
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, { ...inside(schema), ...noteOf.get(name) }]),
  );
}
