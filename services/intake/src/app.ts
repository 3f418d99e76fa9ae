import { type Health, IdempotencyKey, openApiDocument, problems, readBookingRequest } from '@usher/contracts';
import { type Context, Hono } from 'hono';
import { type AcceptPorts, acceptBooking } from './accept.ts';
import { type Authenticate, type Caller, operatorScope } from './caller.ts';
import { UnavailableError } from './errors.ts';
import { listBookings } from './list.ts';
import { currentQuota, type QuotaPorts } from './quota.ts';
import { parseBody, readBody } from './read-body.ts';
import { type Refusal, refusal, refuse } from './refusal.ts';
import { bookingStatus, type StatusPorts } from './status.ts';
import { errorFields, intakeMetrics } from './telemetry.ts';

/** Everything the app needs from outside. */
export type AppPorts = AcceptPorts & StatusPorts & QuotaPorts & { readonly authenticate: Authenticate };

/** The environment of intake's Hono app: what middleware leaves for handlers. */
export interface IntakeEnv {
  Variables: { caller: Caller };
}

/** The HTTP API of contracts.md as one app, wherever it is served. */
export function createApp(ports: AppPorts): Hono<IntakeEnv> {
  const app = new Hono<IntakeEnv>();
  app.use(async (c, next) => {
    await next();
    c.header('Cache-Control', 'no-store');
  });
  app.onError((error) => answerError(ports, error));
  app.notFound(() => refuse(refusal('not-found', 'There is nothing at this path.')));
  addPublicRoutes(app);
  app.use('/v1/*', async (c, next) => {
    const caller = ports.authenticate(c);
    if (typeof caller === 'string') return refuse(noCaller(caller));
    c.set('caller', caller);
    return next();
  });
  app.use('/v1/admin/*', async (c, next) =>
    c.var.caller.scopes.has(operatorScope)
      ? next()
      : refuse(refusal('forbidden', `This needs the scope ${operatorScope}.`)),
  );
  addBookingRoutes(app, ports);
  return app;
}

function addPublicRoutes(app: Hono<IntakeEnv>): void {
  app.get('/openapi.json', (c) => c.json(openApiDocument));
  app.get('/health', (c) => c.json({ status: 'ok' } satisfies Health));
  for (const path of ['/openapi.json', '/health']) restrict(app, path, 'GET, HEAD, OPTIONS');
}

function addBookingRoutes(app: Hono<IntakeEnv>, ports: AppPorts): void {
  app.post('/v1/bookings', (c) => submit(c, ports));
  app.get('/v1/bookings', async (c) => {
    const { accountId } = c.var.caller;
    const listed = await listBookings(ports, { accountId, from: c.req.query('from'), cursor: c.req.query('cursor') });
    return listed.kind === 'refused' ? refuse(listed) : c.json(listed.page);
  });
  restrict(app, '/v1/bookings', 'GET, HEAD, POST, OPTIONS');

  app.get('/v1/bookings/:bookingId', async (c) => {
    const { accountId } = c.var.caller;
    const asked = { accountId, bookingId: c.req.param('bookingId'), cursor: c.req.query('cursor') };
    const found = await bookingStatus(ports, asked);
    if (found.kind === 'refused') return refuse(found);
    return c.json(found.page, 200, found.page.status === 'decided' ? {} : { 'Retry-After': '1' });
  });
  restrict(app, '/v1/bookings/:bookingId', 'GET, HEAD, OPTIONS');

  app.get('/v1/quota', async (c) => {
    const { answer, headers } = await currentQuota(ports, c.var.caller.accountId);
    return c.json(answer, 200, headers);
  });
  restrict(app, '/v1/quota', 'GET, HEAD, OPTIONS');
}

/** Answers every other method of a path: OPTIONS with what there is, the rest with 405. */
function restrict(app: Hono<IntakeEnv>, path: string, allow: string): void {
  app.all(path, (c) =>
    c.req.method === 'OPTIONS'
      ? new Response(null, { status: 204, headers: { Allow: allow } })
      : refuse(refusal('method-not-allowed', `This path knows ${allow}.`, { headers: { Allow: allow } })),
  );
}

async function submit(c: Context<IntakeEnv>, ports: AppPorts): Promise<Response> {
  const body = await readBody(c.req.raw);
  if (body.kind === 'refused') return refuse(body);
  const idempotencyKey = c.req.header('Idempotency-Key');
  if (!IdempotencyKey.allows(idempotencyKey)) return refuse(badKey());
  const parsed = parseBody(body);
  if (parsed.kind === 'refused') return refuse(parsed);
  const read = readBookingRequest(parsed.value);
  if (read.kind === 'refused') {
    return refuse(refusal('invalid-body', 'The body has invalid fields.', { fields: read.fields }));
  }
  const { accountId } = c.var.caller;
  const result = await acceptBooking(ports, { accountId, idempotencyKey, request: read.value });
  if (result.kind === 'refused') return refuse(result);
  return c.json(result.answer, 202, {
    ...result.headers,
    Location: `/v1/bookings/${result.answer.bookingId}`,
    ...(result.replayed ? { 'Idempotency-Replayed': 'true' } : {}),
  });
}

function badKey(): Refusal {
  return refusal('invalid-idempotency-key', `Send one Idempotency-Key header of ${IdempotencyKey.description}.`);
}

function noCaller(why: 'unauthenticated' | 'forbidden'): Refusal {
  return why === 'unauthenticated'
    ? refusal('unauthenticated', 'Send a bearer token.', { headers: { 'WWW-Authenticate': 'Bearer realm="usher"' } })
    : refusal('forbidden', 'The token names no account that may act here.');
}

function answerError({ log, meter }: AppPorts, error: Error): Response {
  if (error instanceof UnavailableError) {
    log.error('unavailable', errorFields(error));
    meter.count(intakeMetrics.unavailable, 1);
    return refuse(refusal('unavailable', 'Try again in a moment.', { headers: { 'Retry-After': '1' } }));
  }
  log.error('unexpected error', errorFields(error));
  meter.count(intakeMetrics.unexpectedErrors, 1);
  return refuse(refusal('internal', `${problems.internal.title}.`));
}
