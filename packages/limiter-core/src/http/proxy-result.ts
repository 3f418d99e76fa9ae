import { formOf } from './proxy-event.ts';
import { bodyText, type Refusal } from './refusal.ts';
import { valueAt } from './unknown.ts';

/** A proxy response, as API Gateway and load balancers take it. */
export interface ProxyResult {
  statusCode: number;
  headers?: Record<string, string>;
  multiValueHeaders?: Record<string, string[]>;
  body: string;
  isBase64Encoded?: boolean;
}

/** A refusal as the response to an event. */
export function refusalResult(refusal: Refusal, event: unknown): ProxyResult {
  return {
    statusCode: refusal.status,
    ...(readsListsOnly(event) ? { multiValueHeaders: listsOf(refusal.headers) } : { headers: { ...refusal.headers } }),
    body: bodyText(refusal),
    isBase64Encoded: false,
  };
}

/**
 * A handler's result with headers added. Those that it has win. A result without a status code is the body of a 200, as
 * payload format 2.0 has it; where that is not so, it stays as it is.
 */
export function withHeaders<Result>(
  result: Result,
  headers: Readonly<Record<string, string>>,
  event: unknown,
): Result | ProxyResult {
  if (Object.keys(headers).length === 0) return result;
  if (typeof valueAt(result, 'statusCode') === 'number') {
    const [name, added] = readsListsOnly(event)
      ? (['multiValueHeaders', listsOf(headers)] as const)
      : (['headers', headers] as const);
    return { ...Object(result), [name]: { ...added, ...Object(valueAt(result, name)) } };
  }
  if (formOf(event) !== 'v2' || result === undefined) return result;
  return {
    statusCode: 200,
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: typeof result === 'string' ? result : JSON.stringify(result),
    isBase64Encoded: false,
  };
}

/** A load balancer that sends lists of headers reads no others. */
function readsListsOnly(event: unknown): boolean {
  return formOf(event) === 'alb' && typeof valueAt(event, 'multiValueHeaders') === 'object';
}

function listsOf(headers: Readonly<Record<string, string>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
}
