import { InvalidArgumentError } from '../errors.ts';
import type { Platform } from './gate.ts';
import { textAt, valueAt } from './unknown.ts';

/**
 * The form of an event:
 * - `v1`: API Gateway, REST API or payload format 1.0
 * - `v2`: API Gateway, HTTP API with payload format 2.0, or a function URL
 * - `alb`: Application Load Balancer
 */
export type EventForm = 'v1' | 'v2' | 'alb';

/** The form of an event; undefined for what has none of them. */
export function formOf(event: unknown): EventForm | undefined {
  const context = valueAt(event, 'requestContext');
  if (valueAt(context, 'http') !== undefined) return 'v2';
  if (valueAt(context, 'identity') !== undefined) return 'v1';
  if (valueAt(context, 'elb') !== undefined) return 'alb';
  return undefined;
}

/** Lambda's proxy events. What stands in `requestContext` is API Gateway's own word, and no caller's. */
export const proxyEvents: Platform<unknown> = {
  claims(event) {
    const authorizer = valueAt(event, 'requestContext', 'authorizer');
    return valueAt(authorizer, 'jwt', 'claims') ?? valueAt(authorizer, 'claims');
  },
  route(event, isPeerTold) {
    const forwardedFor = headerLines(event, 'x-forwarded-for').flatMap((line) => line.split(','));
    switch (formOf(event)) {
      case 'v1':
        return behindGateway(textAt(event, 'requestContext', 'identity', 'sourceIp'), forwardedFor);
      case 'v2':
        return behindGateway(textAt(event, 'requestContext', 'http', 'sourceIp'), forwardedFor);
      case 'alb':
        // The balancer tells its peer in one place only: it adds it to the end.
        return { peer: forwardedFor.at(-1), forwardedFor: forwardedFor.slice(0, -1) };
      case undefined:
        if (isPeerTold) return { peer: undefined, forwardedFor };
        throw new InvalidArgumentError(
          'event must be a proxy event of API Gateway or of a load balancer, or key or address be given',
        );
    }
  },
};

/** API Gateway tells its peer twice: by itself, and at the end of X-Forwarded-For. */
function behindGateway(peer: string | undefined, forwardedFor: readonly string[]) {
  return { peer, forwardedFor: forwardedFor.at(-1)?.trim() === peer ? forwardedFor.slice(0, -1) : forwardedFor };
}

/** Every line of a header, in order, whatever the case of its name and the form in which the event has it. */
function headerLines(event: unknown, name: string): string[] {
  const lines = linesIn(valueAt(event, 'multiValueHeaders'), name);
  return lines.length > 0 ? lines : linesIn(valueAt(event, 'headers'), name);
}

function linesIn(headers: unknown, name: string): string[] {
  if (typeof headers !== 'object' || headers === null) return [];
  return Object.entries(headers)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]): unknown[] => (Array.isArray(value) ? value : [value]))
    .filter((line) => typeof line === 'string');
}
