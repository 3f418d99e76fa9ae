import { listPageBookings, listPageMaxBookings } from './booking.ts';
import type { bodySchemas } from './json-schemas.ts';
import { type ProblemName, problems } from './problem-list.ts';

const bookingIdPattern = '^bk_[a-z2-7]{35}$';

/** A successful answer: its status, its body by the name of the schema (absent: any JSON), its headers. */
export interface Success {
  readonly status: number;
  readonly description: string;
  readonly body?: keyof typeof bodySchemas;
  readonly headers?: readonly HeaderName[];
  /** Operations that the answer leads to, with parameters taken from it (OpenAPI, "Link Object"). */
  readonly links?: Readonly<Record<string, object>>;
}

/** Names an operation of the API. */
export type OperationId =
  | 'submitBooking'
  | 'listBookings'
  | 'getBooking'
  | 'getQuota'
  | 'getOpenApi'
  | 'getHealth'
  | 'getProblem';

/** One operation of the API. A request may carry the query parameters of its route and no others. */
export interface Route {
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly operationId: OperationId;
  readonly summary: string;
  readonly description?: string;
  readonly isPublic?: true;
  readonly parameters?: readonly ParameterName[];
  readonly body?: keyof typeof bodySchemas;
  readonly success: Success;
  /** Answers 304 to a client that names the content it has. */
  readonly isRevalidated?: true;
  readonly problems: readonly ProblemName[];
}

/** The description of each header of answers, by its name. */
export const headerDescriptions = {
  Location: 'Path of the booking.',
  'Idempotency-Replayed': '"true" where the booking had been accepted before.',
  'Retry-After': 'Whole seconds to wait before the next try.',
  'WWW-Authenticate': 'How to authenticate.',
  'X-Request-Id': 'The id of this request, which is in every line that the service logs about it.',
  ETag: 'Names the content; send it as If-None-Match to ask for another one only.',
  'Cache-Control': 'How long the answer may be kept.',
  Allow: 'The methods that the path knows.',
  Accept: 'The media type that the path takes.',
  RateLimit: 'What remains of the quota, and the seconds until it is whole again.',
  'RateLimit-Policy': 'The quota and its window in seconds.',
  'x-ratelimit-limit': 'Chunks that may be submitted at once.',
  'x-ratelimit-remaining': 'Chunks that could be submitted now.',
  'x-ratelimit-reset': 'When the limiter is whole again, in Unix seconds.',
} as const;
export type HeaderName = keyof typeof headerDescriptions;

/** Headers that problems carry, beside the body. */
export const problemHeaders: Partial<Record<ProblemName, readonly HeaderName[]>> = {
  unauthenticated: ['WWW-Authenticate'],
  'method-not-allowed': ['Allow'],
  'booking-busy': ['Retry-After'],
  'unsupported-media-type': ['Accept'],
  'request-limit-exceeded': ['Retry-After'],
  'submission-limit-exceeded': [
    'Retry-After',
    'RateLimit',
    'RateLimit-Policy',
    'x-ratelimit-limit',
    'x-ratelimit-remaining',
    'x-ratelimit-reset',
  ],
  unavailable: ['Retry-After'],
};

/** Parameters of requests. */
export const parameters = {
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: true,
    description:
      'Names this submission; the same key and payload are one booking. Honoured for 60 days. It has no comma: a ' +
      'header that is sent twice arrives as one value with a comma between.',
    schema: { type: 'string', pattern: '^[\\x21-\\x2b\\x2d-\\x7e]{1,255}$' },
    example: '2026-11-29-group-7',
  },
  bookingId: {
    name: 'bookingId',
    in: 'path',
    required: true,
    description: 'The booking, as its Location names it.',
    schema: { type: 'string', pattern: bookingIdPattern },
  },
  problemName: {
    name: 'name',
    in: 'path',
    required: true,
    description: "The last segment of a problem's `type`.",
    schema: { type: 'string', enum: Object.keys(problems) },
  },
  ifNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'The ETag of the content that the client has, or several, separated by commas.',
    schema: { type: 'string' },
  },
  rowCursor: {
    name: 'cursor',
    in: 'query',
    required: false,
    description: 'Where the page begins: the nextCursor of the page before. Past the end the page is empty.',
    schema: { type: 'string', pattern: '^(0|[1-9][0-9]{0,3}|10000)$' },
  },
  listCursor: {
    name: 'cursor',
    in: 'query',
    required: false,
    description: 'Where the page begins: the nextCursor of the page before, asked with the same other parameters.',
    schema: { type: 'string', pattern: bookingIdPattern },
  },
  limit: {
    name: 'limit',
    in: 'query',
    required: false,
    description: 'How many bookings the page may hold.',
    schema: { type: 'integer', minimum: 1, maximum: listPageMaxBookings, default: listPageBookings },
  },
  status: {
    name: 'status',
    in: 'query',
    required: false,
    description: 'Only bookings of this status.',
    schema: { type: 'string', enum: ['accepting', 'pending', 'decided'] },
  },
  from: {
    name: 'from',
    in: 'query',
    required: false,
    description:
      "The first day to list, a local day of the account's: the `window.date` of the booking. Bookings are shown for 60 days.",
    schema: { type: 'string', format: 'date' },
  },
  to: {
    name: 'to',
    in: 'query',
    required: false,
    description: "The last day to list, a local day of the account's. Before `from`, the list is empty.",
    schema: { type: 'string', format: 'date' },
  },
  date: {
    name: 'date',
    in: 'query',
    required: false,
    description:
      "The day to tell of, a local day of the account's: the current one, where left out, or one of the 30 before.",
    schema: { type: 'string', format: 'date' },
  },
} as const;
export type ParameterName = keyof typeof parameters;

const anyFailure: readonly ProblemName[] = ['malformed-request', 'invalid-query', 'internal', 'method-not-allowed'];
const accountFailure: readonly ProblemName[] = [
  'unauthenticated',
  'forbidden',
  'request-limit-exceeded',
  'unavailable',
  ...anyFailure,
];

/** Every operation of the API, with every answer that it may give. */
export const routes: readonly Route[] = [
  {
    method: 'post',
    path: '/v1/bookings',
    operationId: 'submitBooking',
    summary: 'Submit a bulk booking',
    description:
      'Takes 1 to 10,000 reservations of together at most 4 MiB. `mode` is "partial" and `cost` is 1 where left out; ' +
      'ids are unique within the booking; `details` are at most 4 KiB of JSON in 64 levels and hold only numbers that a double keeps: ' +
      'its value rounded to as many digits as are written, or its shortest text. Names are unique in their object. "all-or-nothing" must fit one chunk of 100 rows and 200 KiB.',
    parameters: ['idempotencyKey'],
    body: 'BookingRequest',
    success: {
      status: 202,
      description: 'Accepted: every reservation will be decided.',
      body: 'BookingAccepted',
      headers: [
        'Location',
        'Idempotency-Replayed',
        'RateLimit',
        'RateLimit-Policy',
        'x-ratelimit-limit',
        'x-ratelimit-remaining',
        'x-ratelimit-reset',
      ],
      links: {
        booking: { operationId: 'getBooking', parameters: { bookingId: '$response.body#/bookingId' } },
      },
    },
    problems: [
      'malformed-json',
      'invalid-idempotency-key',
      'booking-busy',
      'body-too-large',
      'unsupported-media-type',
      'invalid-body',
      'idempotency-key-reused',
      'booking-too-old',
      'submission-limit-exceeded',
      ...accountFailure,
    ],
  },
  {
    method: 'get',
    path: '/v1/bookings',
    operationId: 'listBookings',
    summary: "The caller's bookings, newest first",
    description:
      'A page ends where it holds `limit` bookings, and where one request has looked at as many as it may, so that with ' +
      'a filter it can be short or empty; only a page without nextCursor is the last.',
    parameters: ['limit', 'status', 'from', 'to', 'listCursor'],
    success: { status: 200, description: 'One page of bookings.', body: 'BookingList' },
    problems: accountFailure,
  },
  {
    method: 'get',
    path: '/v1/bookings/{bookingId}',
    operationId: 'getBooking',
    summary: 'Counts and outcomes of one booking',
    description:
      'Rows come in the order of submission, 1,000 a page. A page stops at the first undecided row; nextCursor is ' +
      'absent only after the last row of a decided booking.',
    parameters: ['bookingId', 'rowCursor'],
    success: { status: 200, description: 'One page of rows.', body: 'BookingStatus', headers: ['Retry-After'] },
    problems: ['not-found', ...accountFailure],
  },
  {
    method: 'get',
    path: '/v1/quota',
    operationId: 'getQuota',
    summary: "The caller's quota on one day",
    description:
      'The current window under the policy as it is now; or a day before, under the limit last decided by (the ' +
      'current one where nothing was decided), without RateLimit headers. Days are kept 30 days.',
    parameters: ['date'],
    success: {
      status: 200,
      description: 'Limit, usage and policy.',
      body: 'Quota',
      headers: ['RateLimit', 'RateLimit-Policy'],
    },
    problems: ['not-found', ...accountFailure],
  },
  {
    method: 'get',
    path: '/openapi.json',
    operationId: 'getOpenApi',
    summary: 'This document',
    isPublic: true,
    parameters: ['ifNoneMatch'],
    success: { status: 200, description: 'An OpenAPI 3.1 document.', headers: ['ETag', 'Cache-Control'] },
    isRevalidated: true,
    problems: anyFailure,
  },
  {
    method: 'get',
    path: '/health',
    operationId: 'getHealth',
    summary: 'Whether the API answers',
    isPublic: true,
    success: { status: 200, description: 'It does.', body: 'Health' },
    problems: anyFailure,
  },
  {
    method: 'get',
    path: '/problems/{name}',
    operationId: 'getProblem',
    summary: 'What a problem means, and what to do about it',
    isPublic: true,
    parameters: ['problemName'],
    success: { status: 200, description: 'The meaning of a `type`.', body: 'ProblemPage' },
    problems: ['not-found', ...anyFailure],
  },
];

/** The names of the query parameters that a route knows. */
export function queryParametersOf(route: Route): readonly string[] {
  return (route.parameters ?? []).flatMap((key) => (parameters[key].in === 'query' ? [parameters[key].name] : []));
}
