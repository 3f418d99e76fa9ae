import { type OperationId, type ProblemName, queryParametersOf, type Route, routes } from '@usher/contracts';
import type { Context, Hono } from 'hono';
import type { Caller } from './caller.ts';
import { type Query, readQuery } from './query.ts';
import { type Refusal, refusal, refuse } from './refusal.ts';

/** The environment of intake's Hono app: what a host hands over, and what middleware leaves for handlers. */
export interface IntakeEnv {
  Bindings: {
    /** The host's own id of the request. @default a random one */
    readonly requestId?: string;
    /** The event that a Lambda was invoked with. */
    readonly event?: unknown;
  };
  Variables: { requestId: string; caller: Caller; operation?: OperationId; problem?: ProblemName };
}

/** A request on its way through the app. */
export type Asked = Context<IntakeEnv>;

/** Answers one operation. It sees a request whose query is known to the route, each parameter once. */
export type Handler = (c: Asked, query: Query) => Response | Refusal | Promise<Response | Refusal>;

/**
 * Serves the routes of the API description: what a request may carry is read here, from what the description says, and
 * alike on every host.
 */
export function addRoutes(app: Hono<IntakeEnv>, handlers: Readonly<Record<OperationId, Handler>>): void {
  for (const [path, operations] of Map.groupBy(routes, (route) => route.path)) {
    const pattern = path.replaceAll('{', ':').replaceAll('}', '');
    for (const route of operations) {
      app.on(route.method.toUpperCase(), pattern, async (c) => {
        c.set('operation', route.operationId);
        const query = readRequest(c.req.raw, route);
        const answer = query.kind === 'refused' ? query : await handlers[route.operationId](c, query);
        return answer instanceof Response ? answer : refused(c, answer);
      });
    }
    const allow = allowed(operations);
    app.all(pattern, (c) =>
      c.req.method === 'OPTIONS'
        ? new Response(null, { status: 204, headers: { Allow: allow } })
        : refused(c, refusal('method-not-allowed', `This path knows ${allow}.`, { headers: { Allow: allow } })),
    );
  }
}

/** The answer to a refused request. */
export function refused(c: Asked, why: Refusal): Response {
  c.set('problem', why.problem);
  return refuse(why, c.var.requestId);
}

/** The refusal of a path that is not known. */
export function nothing(): Refusal {
  return refusal('not-found', 'There is nothing at this path.');
}

function readRequest({ url, headers }: Request, route: Route): Query | Refusal {
  // No path of ours needs an escape, and hosts undo escapes differently.
  if (new URL(url).pathname.includes('%')) return nothing();
  if (route.body === undefined && hasBody(headers)) {
    return refusal('malformed-request', 'This request takes no body.');
  }
  return readQuery(url, queryParametersOf(route));
}

function hasBody(headers: Headers): boolean {
  return (headers.get('content-length') ?? '0') !== '0' || headers.has('transfer-encoding');
}

function allowed(operations: readonly Route[]): string {
  const known = new Set(operations.map(({ method }) => method));
  return [...(known.has('get') ? ['GET', 'HEAD'] : []), ...(known.has('post') ? ['POST'] : []), 'OPTIONS'].join(', ');
}
