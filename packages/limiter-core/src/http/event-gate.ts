import { gate, type HttpArguments, type HttpLimiter } from './gate.ts';
import { proxyEvents } from './proxy-event.ts';
import { type ProxyResult, refusalResult, withHeaders } from './proxy-result.ts';

/** The verdict on one event. */
export interface LimitedEvent {
  /** The answer to a refused request; undefined where it is let in. */
  readonly response: ProxyResult | undefined;
  /** A handler's result as it is to be answered: with the headers that tell the limits, its cost given back if need be. */
  readonly answer: (result: unknown) => Promise<unknown>;
}

/** Checks one proxy event after the other. */
export function eventGate<Event extends object, Plan>(
  limiter: HttpLimiter<Plan>,
  ...args: HttpArguments<Event, unknown, Plan>
): (event: Event) => Promise<LimitedEvent> {
  const check = gate<Event, unknown, Plan>(limiter, proxyEvents, args[0]);
  return async (event) => {
    const admission = await check(event);
    const { refusal } = admission;
    if (refusal !== undefined) return { response: refusalResult(refusal, event), answer: async (result) => result };
    const answer = async (result: unknown): Promise<unknown> => {
      // Before the answer: a function that has answered may be frozen.
      await admission.settle(result);
      return withHeaders(result, admission.headers, event);
    };
    return { response: undefined, answer };
  };
}
