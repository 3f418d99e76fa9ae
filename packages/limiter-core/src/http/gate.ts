import type { Decision } from '../limiter/decision.ts';
import { type HeaderFormat, headerFormats } from '../limiter/headers.ts';
import type { Limiter } from '../limiter/limiter.ts';
import type { CheckArguments } from '../limiter/limiter-options.ts';
import { assertOneOf } from '../limiter/strategies/assert.ts';
import { keyOfAddress, keyOfClaims } from './caller.ts';
import { type Refusal, refusalOf } from './refusal.ts';
import { callerFinder, type Route, type TrustedProxies } from './trusted-proxies.ts';

/** A value now or later. */
export type Awaitable<T> = T | Promise<T>;

/** An adapter's options beside the plan. */
export interface CommonHttpOptions<Request, Response> {
  /**
   * The key of a request, as it is; undefined for that of its caller. Make it of what the caller cannot choose.
   *
   * @default the issuer and the subject of the token that the platform has verified, else the caller's address
   */
  readonly key?: (request: Request) => Awaitable<string | undefined>;
  /** The claims of a request's token, which must have been verified; `iss` and `sub` together name the caller. */
  readonly claims?: (request: Request) => unknown;
  /** The address that a request's connection came from, where the platform is one that the adapter does not know. */
  readonly address?: (request: Request) => string | undefined;
  /**
   * The proxies before this process whose X-Forwarded-For is believed.
   *
   * @default none: the caller is who connects
   */
  readonly trustProxies?: TrustedProxies;
  /** Lets a request through without a check. */
  readonly skip?: (request: Request) => Awaitable<boolean>;
  /**
   * The cost of a request, one for all or by the request.
   *
   * @default 1
   */
  readonly cost?: number | ((request: Request) => Awaitable<number>);
  /** Decides by the response whether the request counts. Where it does not, its cost is given back. */
  readonly countIf?: (response: Response) => boolean;
  /**
   * The form of the headers; `none` leaves `Retry-After` alone.
   *
   * @default the limiter's own
   */
  readonly headerFormat?: HeaderFormat | 'none';
  /** Puts another answer in a refusal's place; undefined leaves it as it is. */
  readonly onRefused?: (refusal: Refusal, request: Request) => Awaitable<Refusal | undefined>;
  /** Told what failed after the response was made: `countIf`, or a refund. The response does not depend on it. */
  readonly onError?: (error: unknown) => void;
}

/** An adapter's options. A limiter of plans needs `for`. */
export type HttpOptions<Request, Response, Plan = never> = CommonHttpOptions<Request, Response> &
  ([Plan] extends [never] ? unknown : { readonly for: (request: Request) => Awaitable<Plan> });

/** An adapter's last argument: options, which may be left out where no plan is needed. */
export type HttpArguments<Request, Response, Plan> = [Plan] extends [never]
  ? [options?: HttpOptions<Request, Response, Plan>]
  : [options: HttpOptions<Request, Response, Plan>];

/** The part of a limiter that an adapter uses. */
export type HttpLimiter<Plan> = Pick<Limiter<Plan>, 'check' | 'refund' | 'headers'>;

/** A platform, as its adapter reads it. */
export interface Platform<Request> {
  claims(request: Request): unknown;
  /** @param isPeerTold true where an option tells the peer, so that the platform need not know it */
  route(request: Request, isPeerTold: boolean): Route;
}

/** The verdict on one request: refused, or let in with headers for its response. */
export type Admission<Response> =
  | { readonly refusal: Refusal }
  | {
      readonly refusal?: undefined;
      readonly headers: Readonly<Record<string, string>>;
      /** Gives the cost back if the response says so. It never fails. */
      readonly settle: (response: Response) => Promise<void>;
    };

/** The options as the gate reads them, whatever the plan. */
type ReadOptions<Request, Response> = CommonHttpOptions<Request, Response> & {
  readonly for?: (request: Request) => unknown;
};

/** Checks one request of a platform after the other against a limiter. */
export function gate<Request, Response, Plan>(
  limiter: HttpLimiter<Plan>,
  platform: Platform<Request>,
  options: ReadOptions<Request, Response> = {},
): (request: Request) => Promise<Admission<Response>> {
  const { skip, cost = 1, headerFormat, onRefused } = options;
  if (headerFormat !== undefined) assertOneOf('headerFormat', headerFormat, [...headerFormats, 'none']);
  const keyOf = keyFinder(platform, options);
  const headersOf = (decision: Decision): Record<string, string> => {
    if (headerFormat !== 'none') return limiter.headers(decision, headerFormat);
    const { 'Retry-After': retryAfter } = limiter.headers(decision);
    return retryAfter === undefined ? {} : { 'Retry-After': retryAfter };
  };
  return async (request) => {
    if (await skip?.(request)) return { headers: {}, settle: async () => {} };
    const key = await keyOf(request);
    const check = { cost: typeof cost === 'function' ? await cost(request) : cost, for: await options.for?.(request) };
    // The two forms of the arguments are one at run time; that a plan is there, the adapters' types see to.
    const decision = await limiter.check(key, ...([check] as unknown as CheckArguments<Plan>));
    const headers = headersOf(decision);
    if (decision.allowed) return { headers, settle: (response) => settle(response, decision, limiter, options) };
    const refusal = refusalOf(decision, headers);
    return { refusal: (await onRefused?.(refusal, request)) ?? refusal };
  };
}

function keyFinder<Request, Response>(
  platform: Platform<Request>,
  { key, claims, address, trustProxies }: ReadOptions<Request, Response>,
): (request: Request) => Promise<string> {
  const callerOf = callerFinder(trustProxies);
  return async (request) => {
    const own = await key?.(request);
    if (own !== undefined) return own;
    const token = keyOfClaims(claims === undefined ? platform.claims(request) : await claims(request));
    if (token !== undefined) return token;
    const route = platform.route(request, address !== undefined);
    return keyOfAddress(callerOf(address === undefined ? route : { ...route, peer: address(request) }));
  };
}

async function settle<Response, Plan>(
  response: Response,
  decision: Decision,
  limiter: HttpLimiter<Plan>,
  { countIf, onError }: Pick<CommonHttpOptions<never, Response>, 'countIf' | 'onError'>,
): Promise<void> {
  if (countIf === undefined) return;
  try {
    if (!countIf(response)) await limiter.refund(decision);
  } catch (error) {
    try {
      onError?.(error);
    } catch {
      // The response does not depend on who listens.
    }
  }
}
