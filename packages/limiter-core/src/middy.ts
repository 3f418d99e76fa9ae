import { eventGate, type FailedResult, type LimitedEvent } from './http/event-gate.ts';
import type { HttpArguments, HttpLimiter } from './http/gate.ts';

export { addressKey, tokenKey } from './http/caller.ts';
export type { FailedResult } from './http/event-gate.ts';
export type { Awaitable, CommonHttpOptions, HttpArguments, HttpLimiter, HttpOptions } from './http/gate.ts';
export type { Problem, Refusal } from './http/refusal.ts';
export type { TrustedProxies } from './http/trusted-proxies.ts';

/** The part of middy's request that the middleware uses. */
export interface MiddyRequest<Event extends object> {
  event: Event;
  response: unknown;
}

/** The hooks of a middy middleware. */
export interface MiddyHooks<Event extends object> {
  /** Answers a refused request, so that middy calls nothing else. */
  readonly before: (request: MiddyRequest<Event>) => Promise<unknown>;
  readonly after: (request: MiddyRequest<Event>) => Promise<void>;
  readonly onError: (request: MiddyRequest<Event>) => Promise<void>;
}

/**
 * A middy middleware for proxy events: API Gateway (REST and HTTP API), a function URL, or an Application Load Balancer. It
 * knows the caller as `limitEvent` of the entry for Lambda does. Use it before those that parse the body, and after those
 * that may answer early: middy calls no hook then, so such an answer tells no limits and always counts.
 *
 * @throws InvalidArgumentError for options outside their domain
 */
export function rateLimit<Event extends object, Result = FailedResult, Plan = never>(
  limiter: HttpLimiter<Plan>,
  ...args: HttpArguments<Event, Result | FailedResult, Plan>
): MiddyHooks<Event> {
  const check = eventGate<Event, Result, Plan>(limiter, ...args);
  const letIn = new WeakMap<object, LimitedEvent<Result>>();
  const answer = async (request: MiddyRequest<Event>, result: unknown): Promise<unknown> => {
    const limited = letIn.get(request);
    // A hook after this one may fail, and then middy calls onError as well.
    letIn.delete(request);
    // What middy hands on is what the handlers of this stack answer.
    return limited === undefined ? result : limited.answer(result as Result);
  };
  return {
    async before(request) {
      const limited = await check(request.event);
      if (limited.response !== undefined) return limited.response;
      letIn.set(request, limited);
      return undefined;
    },
    async after(request) {
      request.response = await answer(request, request.response);
    },
    async onError(request) {
      const isAnswered = request.response !== undefined && request.response !== null;
      const result = await answer(request, isAnswered ? request.response : { statusCode: 500 });
      if (isAnswered) request.response = result;
    },
  };
}
