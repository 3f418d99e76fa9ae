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
 * A handler's result with headers added. Those that it has win, in whatever case and list it has them. A result without a
 * status code is the body of a 200, as payload format 2.0 has it; where that is not so, it stays as it is.
 */
export function withHeaders<Result>(
  result: Result,
  headers: Readonly<Record<string, string>>,
  event: unknown,
): Result | ProxyResult {
  if (Object.keys(headers).length === 0) return result;
  // Any status code: API Gateway takes one that is text, too.
  if (valueAt(result, 'statusCode') !== undefined) {
    const told = headersNotIn(result, headers);
    const [name, added] = readsListsOnly(event)
      ? (['multiValueHeaders', listsOf(told)] as const)
      : (['headers', told] as const);
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

/** The headers that a result does not tell itself. Names of headers have no case, and API Gateway merges the two lists. */
function headersNotIn(result: unknown, headers: Readonly<Record<string, string>>): Record<string, string> {
  const lists = [valueAt(result, 'headers'), valueAt(result, 'multiValueHeaders')];
  const own = new Set(lists.flatMap((list) => Object.keys(Object(list)).map((name) => name.toLowerCase())));
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !own.has(name.toLowerCase())));
}

/** A load balancer that sends lists of headers reads no others. */
function readsListsOnly(event: unknown): boolean {
  return formOf(event) === 'alb' && typeof valueAt(event, 'multiValueHeaders') === 'object';
}

function listsOf(headers: Readonly<Record<string, string>>): Record<string, string[]> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, [value]]));
}
