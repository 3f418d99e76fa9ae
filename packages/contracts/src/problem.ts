import { type } from 'arktype';
import type { FieldError } from './field-errors.ts';
import { BookingId, Instant } from './fields.ts';
import { type ProblemName, problems } from './problem-list.ts';

/** The media type of every problem. */
export const problemMediaType = 'application/problem+json';
const typePrefix = '/problems/';

/** A request's id: the one in its `X-Request-Id` header and in every line logged about it. */
export const RequestId = type(/^[!-~]{1,128}$/).describe('1 to 128 visible ASCII characters');
export type RequestId = typeof RequestId.infer;

const ProblemType = type(/^\/problems\/[a-z-]+$/).describe('a stable URI reference that names the problem');

/** The body of every error of Usher's own (RFC 9457). */
export const Problem = type({
  '+': 'reject',
  type: ProblemType,
  title: 'string > 0',
  status: '400 <= number.integer <= 599',
  detail: 'string > 0',
  'requestId?': RequestId,
  /** Bad fields of the body by JSON pointer, or bad parameters of the query by name. */
  'errors?': type({ '+': 'reject', pointer: 'string', detail: 'string > 0' })
    .or({ '+': 'reject', parameter: 'string', detail: 'string > 0' })
    .array()
    .atMostLength(100),
  'errorCount?': 'number.integer >= 1',
  /** The earlier booking that an idempotency key belongs to. */
  'booking?': type({ '+': 'reject', bookingId: BookingId, acceptedAt: Instant }),
});
export type Problem = typeof Problem.infer;

/** The answer of `GET /problems/<name>`, the page that a problem's `type` leads to. */
export const ProblemPage = type({
  '+': 'reject',
  type: ProblemType,
  title: 'string > 0',
  status: '400 <= number.integer <= 599',
  meaning: 'string > 0',
  remedy: 'string > 0',
});
export type ProblemPage = typeof ProblemPage.infer;

/** A bad parameter of the query: its name and what was expected. Never its value. */
export interface ParameterError {
  readonly parameter: string;
  readonly detail: string;
}

/** The fields of a problem beside its sentence. */
export interface ProblemExtras {
  readonly requestId?: RequestId;
  readonly errors?: readonly (FieldError | ParameterError)[];
  readonly errorCount?: number;
  readonly booking?: { readonly bookingId: BookingId; readonly acceptedAt: string };
}

/** A problem's stable `type`, a URI reference such as `/problems/invalid-body`. */
export function problemType(name: ProblemName): string {
  return `${typePrefix}${name}`;
}

/** Makes a problem's body. The detail is a sentence for people and echoes nothing that was sent. */
export function problemOf(name: ProblemName, detail: string, extras: ProblemExtras = {}): Problem {
  const { title, status } = problems[name];
  const { requestId, errors, errorCount, booking } = extras;
  return {
    type: problemType(name),
    title,
    status,
    detail,
    ...(requestId === undefined ? {} : { requestId }),
    ...(errors === undefined ? {} : { errors: errors.map((error) => ({ ...error })) }),
    ...(errorCount === undefined ? {} : { errorCount }),
    ...(booking === undefined ? {} : { booking: { ...booking } }),
  };
}

/** The page that a problem's `type` leads to. */
export function problemPage(name: ProblemName): ProblemPage {
  return { type: problemType(name), ...problems[name] };
}
