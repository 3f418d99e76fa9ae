import { gate, type HttpArguments, type HttpLimiter } from './gate.ts';
import { proxyEvents } from './proxy-event.ts';
import { type ProxyResult, refusalResult, withHeaders } from './proxy-result.ts';

/** The response to a handler that throws, as `countIf` sees it. */
export interface FailedResult {
  readonly statusCode: number;
}

/** The verdict on one event. */
export interface LimitedEvent<Result> {
  /** The answer to a refused request; undefined where it is let in. */
  readonly response: ProxyResult | undefined;
  /** A handler's result as it is to be answered: with the headers that tell the limits, its cost given back if need be. */
  readonly answer: <R extends Result | FailedResult>(result: R) => Promise<R | ProxyResult>;
}

/** Checks one proxy event after the other. */
export function eventGate<Event extends object, Result, Plan>(
  limiter: HttpLimiter<Plan>,
  ...args: HttpArguments<Event, Result | FailedResult, Plan>
): (event: Event) => Promise<LimitedEvent<Result>> {
  const check = gate<Event, Result | FailedResult, Plan>(limiter, proxyEvents, args[0]);
  return async (event) => {
    const admission = await check(event);
    const { refusal } = admission;
    if (refusal !== undefined) return { response: refusalResult(refusal, event), answer: async (result) => result };
    return {
      response: undefined,
      async answer(result) {
        // Before the answer: a function that has answered may be frozen.
        await admission.settle(result);
        return withHeaders(result, admission.headers, event);
      },
    };
  };
}
