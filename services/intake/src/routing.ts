import { type OperationId, type ProblemName, queryParametersOf, type Route, routes } from '@usher/contracts';
import type { Context, Hono } from 'hono';
import type { Caller } from './caller.ts';
import { type Query, readQuery } from './read-query.ts';
import { problemResponse, type Refusal, refusal } from './refusal.ts';

/** The environment of intake's Hono app: bindings from the host, variables from middleware to handlers. */
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

/** Answers one operation. Of the request's query it gets known parameters only, each once. */
export type Handler = (c: Asked, query: Query) => Response | Refusal | Promise<Response | Refusal>;

/**
 * Serves the routes of the API description. A request may carry what its route describes, and is refused here if it
 * carries more.
 */
export function addRoutes(app: Hono<IntakeEnv>, handlers: Readonly<Record<OperationId, Handler>>): void {
  for (const [path, operations] of Map.groupBy(routes, (route) => route.path)) {
    const pattern = path.replaceAll('{', ':').replaceAll('}', '');
    for (const route of operations) {
      app.on(route.method.toUpperCase(), pattern, async (c) => {
        c.set('operation', route.operationId);
        const query = readRequest(c.req.raw, route);
        const answer = query.kind === 'refused' ? query : await handlers[route.operationId](c, query);
        return answer instanceof Response ? answer : answerRefusal(c, answer);
      });
    }
    const allow = allowed(operations);
    app.all(pattern, (c) =>
      c.req.method === 'OPTIONS'
        ? new Response(null, { status: 204, headers: { Allow: allow } })
        : answerRefusal(c, refusal('method-not-allowed', `This path knows ${allow}.`, { headers: { Allow: allow } })),
    );
  }
}

/** The answer that tells a refusal; its problem is kept for the line that is logged about the request. */
export function answerRefusal(c: Asked, refusal: Refusal): Response {
  c.set('problem', refusal.problem);
  return problemResponse(refusal, c.var.requestId);
}

/** The refusal of a path that is no route's. */
export function unknownPath(): Refusal {
  return refusal('not-found', 'There is nothing at this path.');
}

function readRequest({ url, headers }: Request, route: Route): Query | Refusal {
  // No path of ours needs an escape, and hosts undo escapes differently.
  if (new URL(url).pathname.includes('%')) return unknownPath();
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
