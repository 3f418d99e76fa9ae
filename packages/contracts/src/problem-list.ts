/** One kind of problem: its status and title, its meaning for the request, and the caller's remedy. */
interface ProblemKind {
  readonly status: number;
  readonly title: string;
  readonly meaning: string;
  readonly remedy: string;
}

/** Every problem that Usher itself answers (RFC 9457), by the last segment of its `type`. */
export const problems = {
  'malformed-json': {
    status: 400,
    title: 'The body is not JSON',
    meaning: 'The body is no JSON text (RFC 8259) in UTF-8; `detail` tells the line and the column.',
    remedy: 'Mend the body; nothing was taken.',
  },
  'malformed-request': {
    status: 400,
    title: 'The request is malformed',
    meaning: 'The request ended early, has a body where none is taken, or cannot be decoded.',
    remedy: 'Send it again, whole; nothing was taken.',
  },
  'invalid-idempotency-key': {
    status: 400,
    title: 'The Idempotency-Key is missing or malformed',
    meaning: 'A submission needs exactly one Idempotency-Key. A header sent twice arrives joined by a comma.',
    remedy: 'Send one key of 1 to 255 visible ASCII characters without a comma.',
  },
  'invalid-query': {
    status: 400,
    title: 'A query parameter is malformed or not known',
    meaning: 'A parameter is not known to this route, is given twice, or has a value that it cannot have.',
    remedy: 'Send the parameters that the API description names, each once.',
  },
  unauthenticated: {
    status: 401,
    title: 'The caller is not known',
    meaning: 'No valid bearer token came with the request.',
    remedy: 'Get a token and send it as Authorization: Bearer.',
  },
  forbidden: {
    status: 403,
    title: 'The caller may not do this',
    meaning: 'The token names no account.',
    remedy: 'Ask whoever issued the token; the same token is refused again.',
  },
  'not-found': {
    status: 404,
    title: 'There is nothing here',
    meaning: 'The path is not known, or the account has no such booking.',
    remedy: 'Use the Location that the submission was answered with. Bookings are shown for 60 days.',
  },
  'method-not-allowed': {
    status: 405,
    title: 'The method is not allowed here',
    meaning: 'The path is known, but not for this method.',
    remedy: 'Use a method of the Allow header.',
  },
  'booking-busy': {
    status: 409,
    title: 'The booking is still being enqueued',
    meaning: 'Another request with the same key and payload is under way.',
    remedy: 'Send the same request again after Retry-After.',
  },
  'body-too-large': {
    status: 413,
    title: 'The body is too large',
    meaning: 'The body has more than 4 MiB.',
    remedy: 'Split the booking in two, each with a key of its own.',
  },
  'unsupported-media-type': {
    status: 415,
    title: 'The body must be application/json',
    meaning: 'The body is not declared as JSON in UTF-8, or it is compressed.',
    remedy: 'Send Content-Type: application/json, once, and no Content-Encoding.',
  },
  'invalid-body': {
    status: 422,
    title: 'The body has invalid fields',
    meaning:
      'The body is JSON and no booking, or a name stands twice in one object; `errors` points at the first hundred of the ' +
      'fields (RFC 6901), or at what holds them.',
    remedy: 'Mend the fields; nothing was taken.',
  },
  'idempotency-key-reused': {
    status: 422,
    title: 'The Idempotency-Key belongs to another payload',
    meaning: 'An earlier booking has this key; `booking` names it and the instant at which it was accepted.',
    remedy: 'Use a new key for a new booking, or send the payload of the earlier one to repeat it.',
  },
  'booking-too-old': {
    status: 422,
    title: 'The booking is too old to be resumed',
    meaning: 'The submission was begun two weeks ago or earlier and never completed.',
    remedy: 'Submit it again under a new key.',
  },
  'submission-limit-exceeded': {
    status: 429,
    title: 'Too many chunks were submitted',
    meaning:
      'The booking needs more units of the submission limiter than are free; a unit is a chunk of up to 100 rows.',
    remedy: 'Send the same request again after Retry-After.',
  },
  'request-limit-exceeded': {
    status: 429,
    title: 'Too many requests were read or refused',
    meaning:
      'The account has read too often, or too much of what it sent was refused or repeated; bodies are not looked at meanwhile.',
    remedy: 'Wait for Retry-After. Mend what was refused before you send it again.',
  },
  internal: {
    status: 500,
    title: 'Something unexpected went wrong',
    meaning: 'A fault of the service.',
    remedy: 'Tell the operator the requestId. A submission may be sent again under the same key.',
  },
  unavailable: {
    status: 503,
    title: 'A store or queue did not answer',
    meaning:
      'The request could not be completed just now. What was taken of a submission counts once, however often it is sent.',
    remedy: 'Send the same request again after Retry-After, a submission under the same key.',
  },
} as const satisfies Readonly<Record<string, ProblemKind>>;
export type ProblemName = keyof typeof problems;
