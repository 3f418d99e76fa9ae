import { gate, type HttpArguments, type HttpLimiter, type Platform } from './http/gate.ts';
import { proxyEvents } from './http/proxy-event.ts';
import { bodyText } from './http/refusal.ts';
import { valueAt } from './http/unknown.ts';

export { addressKey, tokenKey } from './http/caller.ts';
export type { Awaitable, CommonHttpOptions, HttpArguments, HttpLimiter, HttpOptions } from './http/gate.ts';
export type { Problem, Refusal } from './http/refusal.ts';
export type { TrustedProxies } from './http/trusted-proxies.ts';

/** The part of Hono's context that the middleware reads, and that its options see unless they name Hono's own type. */
export interface HonoContext {
  readonly req: {
    readonly method: string;
    readonly path: string;
    readonly url: string;
    header(name: string): string | undefined;
    param(name: string): string | undefined;
    query(name: string): string | undefined;
  };
  readonly env: unknown;
  readonly var: unknown;
  readonly res: Response;
  get(name: string): unknown;
  header(name: string, value: string): void;
}

/**
 * `jwtPayload` is where Hono's middlewares for tokens put the claims that they have verified. The runtime's own word on the
 * connection is in `env`: @hono/node-server's `incoming`, or the event of hono/aws-lambda.
 */
const hono: Platform<HonoContext> = {
  claims: ({ env, var: variables }) => valueAt(variables, 'jwtPayload') ?? proxyEvents.claims(valueAt(env, 'event')),
  route({ env, req }, isPeerTold) {
    const event = valueAt(env, 'event');
    if (valueAt(event, 'requestContext') !== undefined) return proxyEvents.route(event, isPeerTold);
    return { peer: remoteAddressOf(env), forwardedFor: req.header('x-forwarded-for') };
  },
};

function remoteAddressOf(env: unknown): string | undefined {
  const incoming = valueAt(env, 'incoming') ?? valueAt(env, 'server', 'incoming');
  if (typeof incoming !== 'object' || incoming === null || !('socket' in incoming)) return undefined;
  const { socket } = incoming;
  if (typeof socket !== 'object' || socket === null || !('remoteAddress' in socket)) return undefined;
  return typeof socket.remoteAddress === 'string' ? socket.remoteAddress : undefined;
}

/**
 * A middleware for Hono.
 *
 * The caller is named by `iss` and `sub` of `c.get('jwtPayload')`, which Hono's jwt and jwk middlewares have verified, or by
 * those of API Gateway's authorizer; else by the address of the connection, on Node and on Lambda. On another runtime the
 * option `address` tells it: `(c) => getConnInfo(c).remote.address`.
 *
 * @example
 * ```ts
 * const limiter = createLimiter({ strategy: fixedWindow({ limit: 1, windowMs: 3_600_000 }) });
 * const app = new Hono().use(rateLimit(limiter)).get('/', (c) => c.text('hello'));
 * (await app.request('/')).status; // 200
 * (await app.request('/')).status; // 429
 * ```
 *
 * @throws InvalidArgumentError for options outside their domain
 */
export function rateLimit<Plan = never, Context extends HonoContext = HonoContext>(
  limiter: HttpLimiter<Plan>,
  ...args: HttpArguments<Context, Response, Plan>
): (c: Context, next: () => Promise<void>) => Promise<Response | undefined> {
  const check = gate<Context, Response, Plan>(limiter, hono, args[0]);
  return async (c, next) => {
    const admission = await check(c);
    const { refusal } = admission;
    if (refusal !== undefined) {
      for (const [name, value] of Object.entries(refusal.headers)) c.header(name, value);
      // Those that middlewares before have told as well: Hono keeps them for the responses that it makes itself.
      return new Response(bodyText(refusal), { status: refusal.status, headers: c.res.headers });
    }
    try {
      await next();
    } catch (error) {
      // Hono makes a response of an error, but not of what else is thrown.
      await admission.settle(new Response(null, { status: 500 }));
      throw error;
    }
    for (const [name, value] of Object.entries(admission.headers)) {
      // A limiter nearer to the handler has spoken already.
      if (!c.res.headers.has(name)) c.header(name, value);
    }
    await admission.settle(c.res);
    return undefined;
  };
}
