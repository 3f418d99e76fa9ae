import { type } from 'arktype';

/**
 * Answers, messages and events, by the fields that the checks read. The shapes are the simulation's own: a break of the
 * product's readers must not reach the checks.
 */
const row = type({ id: 'string', cost: 'number', 'details?': 'object' });

/** A row as a message carries it. */
export type SentRow = Readonly<typeof row.infer>;

const window = type({ date: 'string', timezone: 'string', startsAt: 'string', resetsAt: 'string' });

const chunkMessage = type({
  bookingId: 'string',
  chunk: 'number',
  chunks: 'number',
  accountId: 'string',
  acceptedAt: 'string',
  window,
  mode: "'partial' | 'all-or-nothing'",
  reservations: row.array(),
});

/** A chunk message as intake sent it. */
export type ChunkMessage = Readonly<typeof chunkMessage.infer>;

const accepted = type({
  bookingId: 'string',
  acceptedAt: 'string',
  window,
  reservations: 'number',
  chunks: 'number',
});

/** The body of a 202. */
export type Accepted = Readonly<typeof accepted.infer>;

const statusPage = type({
  status: 'string',
  reservations: type({ id: 'string', decision: 'string', 'dispatchAt?': 'string' }).array(),
});

/** The answer of `GET /v1/bookings/<id>`. */
export type StatusPage = Readonly<typeof statusPage.infer>;

const counted = type({ count: 'number', cost: 'number' });
const refused = type({ count: 'number', cost: 'number', byReason: { '[string]': counted } });

const eventDetail = type({
  metadata: { id: 'string', occurredAt: 'string', 'correlationId?': 'string' },
  data: {
    'accountId?': 'string',
    'window?': { date: 'string' },
    'bookingId?': 'string',
    'chunk?': 'number',
    'acceptedAt?': 'string',
    'decidedAt?': 'string',
    'mode?': 'string',
    'limit?': 'number',
    'used?': 'number',
    'granted?': counted,
    'rejected?': refused,
    'observed?': refused,
    'reservations?': type({ id: 'string', cost: 'number', reason: 'string' }).array(),
  },
});

/** The detail of any event; fields that only some events have are optional. */
export type EventDetail = Readonly<typeof eventDetail.infer>;

const usageDetail = type({
  metadata: { id: 'string' },
  data: { accountId: 'string', window: { date: 'string' }, granted: { cost: 'number' } },
});

const problem = type({ type: 'string' });
const json = type('string.json.parse');
const readers = {
  chunk: json.to(chunkMessage),
  quarantined: json.to({ body: 'string', messageId: 'string', reason: 'string' }),
  pacing: json.to({
    bookingId: 'string',
    chunk: 'number',
    accountId: 'string',
    settledAt: 'string',
    reservations: type({ dispatchAt: 'string' }).array(),
  }),
  dispatch: json.to({ dispatchId: 'string', accountId: 'string', dispatchAt: 'string', reservations: row.array() }),
  event: json.to(eventDetail),
  usage: json.to(usageDetail),
};

/** Readers of answers, messages and events; each throws where a field is not of its kind. */
export const read = {
  accepted: (body: unknown): Accepted => accepted.assert(body),
  statusPage: (body: unknown): StatusPage => statusPage.assert(body),
  /** The last segment of a problem's type; undefined where the body is no problem. */
  problemName: (body: unknown): string | undefined =>
    problem.allows(body) ? body.type.slice(body.type.lastIndexOf('/') + 1) : undefined,
  chunk: (body: string): ChunkMessage => readers.chunk.assert(body),
  quarantined: (body: string) => readers.quarantined.assert(body),
  pacing: (body: string) => readers.pacing.assert(body),
  dispatch: (body: string) => readers.dispatch.assert(body),
  event: (detail: string): EventDetail => readers.event.assert(detail),
  usage: (detail: string) => readers.usage.assert(detail),
};
