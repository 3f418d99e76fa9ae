import { eventGate, type FailedResult, type LimitedEvent } from './http/event-gate.ts';
import type { HttpArguments, HttpLimiter } from './http/gate.ts';
import type { ProxyResult } from './http/proxy-result.ts';

export { addressKey, tokenKey } from './http/caller.ts';
export type { FailedResult, LimitedEvent } from './http/event-gate.ts';
export type { Awaitable, CommonHttpOptions, HttpArguments, HttpLimiter, HttpOptions } from './http/gate.ts';
export type { ProxyResult } from './http/proxy-result.ts';
export type { Problem, Refusal } from './http/refusal.ts';
export type { TrustedProxies } from './http/trusted-proxies.ts';

/**
 * Checks the caller of a proxy event: API Gateway (REST and HTTP API), a function URL, or an Application Load Balancer.
 *
 * The caller is who the JWT authorizer (v2) or the Cognito authorizer (v1) has verified, by `iss` and `sub`. Else it is the
 * address that API Gateway tells; behind a load balancer, the last one of X-Forwarded-For, which the balancer has added
 * (`xff_header_processing.mode` must be `append`, its default).
 *
 * @example
 * ```ts
 * const limiter = createLimiter({ strategy: fixedWindow({ limit: 1, windowMs: 3_600_000 }) });
 * const event = { requestContext: { http: { sourceIp: '192.0.2.7' } } };
 * const { response, answer } = await limitEvent(limiter, event);
 * response; // undefined
 * (await answer({ statusCode: 204 })).statusCode; // 204
 * (await limitEvent(limiter, event)).response.statusCode; // 429
 * ```
 *
 * @throws InvalidArgumentError for what is no proxy event, unless the option `key` or `address` tells the caller; and as
 * {@link Limiter.check}
 */
export function limitEvent<Event extends object, Result = unknown, Plan = never>(
  limiter: HttpLimiter<Plan>,
  event: Event,
  ...args: HttpArguments<Event, Result | FailedResult, Plan>
): Promise<LimitedEvent<Result>> {
  return eventGate<Event, Result, Plan>(limiter, ...args)(event);
}

/**
 * A handler of proxy events behind a limiter, as {@link limitEvent} checks. A handler that throws counts as one that
 * answers 500, and its error goes on.
 *
 * @example
 * ```ts
 * const limiter = createLimiter({ strategy: fixedWindow({ limit: 1, windowMs: 3_600_000 }) });
 * const handler = withLimit(limiter, async () => ({ statusCode: 204 }));
 * const event = { requestContext: { http: { sourceIp: '192.0.2.7' } } };
 * (await handler(event)).statusCode; // 204
 * (await handler(event)).statusCode; // 429
 * ```
 *
 * @throws InvalidArgumentError for options outside their domain
 */
export function withLimit<Event extends object, Rest extends unknown[], Result, Plan = never>(
  limiter: HttpLimiter<Plan>,
  handler: (event: Event, ...rest: Rest) => Result | Promise<Result>,
  ...args: HttpArguments<Event, Result | FailedResult, Plan>
): (event: Event, ...rest: Rest) => Promise<Result | ProxyResult> {
  const check = eventGate<Event, Result, Plan>(limiter, ...args);
  return async (event, ...rest) => {
    const { response, answer } = await check(event);
    if (response !== undefined) return response;
    let result: Result;
    try {
      result = await handler(event, ...rest);
    } catch (error) {
      await answer({ statusCode: 500 });
      throw error;
    }
    return answer(result);
  };
}
