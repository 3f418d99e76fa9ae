import { type OperationId, problems } from '@usher/contracts';
import { errorFields } from '@usher/service';
import { Hono } from 'hono';
import type { Authenticate } from './caller.ts';
import { healthAnswer, openApiResponse, problemAnswer } from './constant-answers.ts';
import { UnavailableError, UnreadableAccountError } from './errors.ts';
import { getBooking, type StatusPorts } from './get-booking.ts';
import { getQuota, type QuotaPorts } from './get-quota.ts';
import { listBookings } from './list-bookings.ts';
import { intakeMetrics } from './metrics.ts';
import { frameHeaders, type Refusal, refusal } from './refusal.ts';
import { requestScope } from './request-scope.ts';
import { type Asked, addRoutes, answerRefusal, type Handler, type IntakeEnv, unknownPath } from './routing.ts';
import { type SubmitPorts, submitBooking } from './submit-booking.ts';

/** The ports of the app: those of its operations, and the one that finds the caller. */
export type AppPorts = SubmitPorts & StatusPorts & QuotaPorts & { readonly authenticate: Authenticate };

/** Makes the app that serves the HTTP API, on every host alike. */
export function createApp(ports: AppPorts): Hono<IntakeEnv> {
  const app = new Hono<IntakeEnv>();
  app.use(async (c, next) => {
    const requestId = c.env?.requestId ?? ports.randomId();
    c.set('requestId', requestId);
    await requestScope.run({ requestId }, async () => {
      await next();
      logAnswer(ports, c);
    });
    // An answer that may be cached has set its own headers.
    for (const [name, value] of Object.entries(frameHeaders(requestId))) {
      if (!c.res.headers.has(name)) c.header(name, value);
    }
  });
  app.onError((error, c) => answerRefusal(c, failureOf(ports, error)));
  app.notFound((c) => answerRefusal(c, unknownPath()));
  app.use('/v1/*', async (c, next) => {
    const caller = ports.authenticate(c);
    if (typeof caller === 'string') return answerRefusal(c, noCaller(caller));
    c.set('caller', caller);
    const scope = requestScope.getStore();
    if (scope !== undefined) scope.accountId = caller.accountId;
    const limited = c.req.method === 'POST' ? undefined : ports.limits.takeRead(caller.accountId);
    return limited === undefined ? next() : answerRefusal(c, limited);
  });
  addRoutes(app, handlersOf(ports));
  return app;
}

function handlersOf(ports: AppPorts): Readonly<Record<OperationId, Handler>> {
  return {
    submitBooking: async (c) => {
      const taken = await submitBooking(c.req.raw, c.var.caller.accountId, ports);
      if (taken.kind === 'refused') return taken;
      return c.json(taken.answer, 202, {
        ...taken.headers,
        Location: `/v1/bookings/${taken.answer.bookingId}`,
        ...(taken.replayed ? { 'Idempotency-Replayed': 'true' } : {}),
      });
    },
    listBookings: async (c, query) => {
      const listed = await listBookings(ports, c.var.caller.accountId, query);
      return listed.kind === 'refused' ? listed : c.json(listed.page);
    },
    getBooking: async (c, query) => {
      const { accountId } = c.var.caller;
      const asked = { accountId, bookingId: c.req.param('bookingId') ?? '', cursor: query.get('cursor') };
      const found = await getBooking(ports, asked);
      if (found.kind === 'refused') return found;
      return c.json(found.page, 200, found.page.status === 'decided' ? {} : { 'Retry-After': '1' });
    },
    getQuota: async (c, query) => {
      const quota = await getQuota(ports, c.var.caller.accountId, query.get('date'));
      return quota.kind === 'refused' ? quota : c.json(quota.answer, 200, quota.headers);
    },
    getOpenApi: (c) => openApiResponse(c.req.header('If-None-Match')),
    getHealth: () => constant(healthAnswer),
    getProblem: (c) => {
      const answer = problemAnswer(c.req.param('name') ?? '');
      return answer === undefined ? unknownPath() : constant(answer);
    },
  };
}

function constant(answer: Uint8Array<ArrayBuffer>): Response {
  return new Response(answer, { headers: { 'Content-Type': 'application/json' } });
}

/** Logs and counts an answer. Of a refused request the line names the problem, never what was sent. */
function logAnswer({ log, meter }: AppPorts, c: Asked): void {
  const { operation, problem } = c.var;
  const { status } = c.res;
  log.info('request answered', { operation: operation ?? 'none', status, ...(problem && { problem }) });
  if (status >= 400 && status < 500) meter.count(intakeMetrics.requestsRefused, 1);
}

function noCaller(why: 'unauthenticated' | 'forbidden'): Refusal {
  return why === 'unauthenticated'
    ? refusal('unauthenticated', 'Send a bearer token.', { headers: { 'WWW-Authenticate': 'Bearer realm="usher"' } })
    : refusal('forbidden', 'The token names no account that may act here.');
}

function failureOf({ log, meter }: AppPorts, error: Error): Refusal {
  if (error instanceof UnavailableError) {
    const isUnreadable = error instanceof UnreadableAccountError;
    log.error('unavailable', { ...(isUnreadable && { accountId: error.accountId }), ...errorFields(error) });
    if (isUnreadable) meter.count(intakeMetrics.unreadableItems, 1);
    meter.count(intakeMetrics.unavailable, 1);
    return refusal('unavailable', 'Try again in a moment.', { headers: { 'Retry-After': '1' } });
  }
  log.error('unexpected error', errorFields(error));
  meter.count(intakeMetrics.unexpectedErrors, 1);
  return refusal('internal', `${problems.internal.title}.`);
}
