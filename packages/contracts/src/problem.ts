import { type } from 'arktype';
import type { FieldErrors } from './field-errors.ts';

/** Every problem that Usher itself answers (RFC 9457): the last segment of its `type`, its title and its status. */
export const problems = {
  'malformed-json': { status: 400, title: 'The body is not JSON' },
  'invalid-idempotency-key': { status: 400, title: 'The Idempotency-Key is missing or malformed' },
  'invalid-query': { status: 400, title: 'A query parameter is malformed' },
  unauthenticated: { status: 401, title: 'The caller is not known' },
  forbidden: { status: 403, title: 'The caller may not do this' },
  'not-found': { status: 404, title: 'There is nothing here' },
  'method-not-allowed': { status: 405, title: 'The method is not allowed here' },
  'booking-busy': { status: 409, title: 'The booking is still being enqueued' },
  'body-too-large': { status: 413, title: 'The body is too large' },
  'unsupported-media-type': { status: 415, title: 'The body must be application/json' },
  'invalid-body': { status: 422, title: 'The body has invalid fields' },
  'idempotency-key-reused': { status: 422, title: 'The Idempotency-Key belongs to another payload' },
  'booking-too-old': { status: 422, title: 'The booking is too old to be resumed' },
  'submission-limit-exceeded': { status: 429, title: 'Too many chunks were submitted' },
  internal: { status: 500, title: 'Something unexpected went wrong' },
  unavailable: { status: 503, title: 'A store or queue did not answer' },
} as const;
export type ProblemName = keyof typeof problems;

/** The media type of every problem. */
export const problemMediaType = 'application/problem+json';
const typePrefix = '/problems/';

/** The body of every error of Usher's own (RFC 9457). */
export const Problem = type({
  '+': 'reject',
  type: type(/^\/problems\/[a-z-]+$/).describe('a stable URI reference that names the problem'),
  title: 'string > 0',
  status: '400 <= number.integer <= 599',
  detail: 'string > 0',
  'errors?': type({ '+': 'reject', pointer: 'string', detail: 'string > 0' }).array().atMostLength(100),
  'errorCount?': 'number.integer >= 1',
});
export type Problem = typeof Problem.infer;

/** A problem's stable `type`, a URI reference such as `/problems/invalid-body`. */
export function problemType(name: ProblemName): string {
  return `${typePrefix}${name}`;
}

/** Makes a problem's body. The detail is a sentence for people and echoes nothing that was sent. */
export function problemOf(name: ProblemName, detail: string, fields?: FieldErrors): Problem {
  const { title, status } = problems[name];
  const listed = fields && { errors: fields.errors.map((field) => ({ ...field })), errorCount: fields.errorCount };
  return { type: problemType(name), title, status, detail, ...listed };
}
