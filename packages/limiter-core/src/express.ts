import { type Admission, gate, type HttpArguments, type HttpLimiter, type Platform } from './http/gate.ts';
import { bodyText } from './http/refusal.ts';
import { valueAt } from './http/unknown.ts';

export { addressKey, tokenKey } from './http/caller.ts';
export type { Awaitable, CommonHttpOptions, HttpArguments, HttpLimiter, HttpOptions } from './http/gate.ts';
export type { Problem, Refusal } from './http/refusal.ts';
export type { TrustedProxies } from './http/trusted-proxies.ts';

/** The part of a request of Node, and so of Express, that the middleware reads. */
export interface NodeRequest {
  readonly headers: { readonly [name: string]: string | string[] | undefined };
  readonly socket: { readonly remoteAddress?: string | undefined };
}

/** The part of a response of Node, and so of Express, that the middleware uses. */
export interface NodeResponse {
  statusCode: number;
  /** True once there is an answer: a timeout's, while the limiter was asked. */
  readonly headersSent: boolean;
  setHeader(name: string, value: string): unknown;
  end(body: string): unknown;
  once(event: 'finish', listener: () => void): unknown;
}

/** `req.auth` is where the middlewares for tokens put the claims that they have verified. */
const node: Platform<NodeRequest> = {
  claims: (request) => valueAt(request, 'auth'),
  route: ({ headers, socket }) => ({ peer: socket.remoteAddress, forwardedFor: headers['x-forwarded-for'] }),
};

/**
 * A middleware for Express, and for anything else that calls `(req, res, next)` with Node's requests.
 *
 * The caller is named by `iss` and `sub` of `req.auth`, which a middleware before has verified; else by the address of the
 * connection. Errors of the limiter go to `next`. `countIf` is asked of finished responses: one that the caller did not
 * wait for counts.
 *
 * @throws InvalidArgumentError for options outside their domain
 */
export function rateLimit<
  Plan = never,
  Request extends NodeRequest = NodeRequest,
  Response extends NodeResponse = NodeResponse,
>(
  limiter: HttpLimiter<Plan>,
  ...args: HttpArguments<Request, Response, Plan>
): (request: Request, response: Response, next: (error?: unknown) => void) => void {
  const check = gate<Request, Response, Plan>(limiter, node, args[0]);
  return (request, response, next) => {
    check(request)
      .then((admission) => tell(admission, response))
      .then((isLetIn) => {
        if (isLetIn) next();
      }, next);
  };
}

/** Tells the limits, and a refusal; true where the request is let in. */
function tell<Response extends NodeResponse>(admission: Admission<Response>, response: Response): boolean {
  const { refusal } = admission;
  const headers = refusal === undefined ? admission.headers : refusal.headers;
  if (!response.headersSent) for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  if (refusal === undefined) {
    response.once('finish', () => void admission.settle(response));
    return true;
  }
  if (!response.headersSent) {
    response.statusCode = refusal.status;
    response.end(bodyText(refusal));
  }
  return false;
}
