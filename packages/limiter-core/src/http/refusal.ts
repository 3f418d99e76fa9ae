import type { Decision } from '../limiter/decision.ts';
import { retryAfterSecondsOf } from '../limiter/headers.ts';

/** A problem details object (RFC 9457). */
export interface Problem {
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  /** The limits that the request does not fit now. */
  readonly 'violated-policies'?: readonly string[];
}

/** The answer to a request that is refused. */
export interface Refusal {
  readonly decision: Decision;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body: text as it is, an object as JSON. */
  readonly body: string | object;
}

/** The problem type of draft-ietf-httpapi-ratelimit-headers-11, section 5.1. */
const quotaExceeded = 'https://iana.org/assignments/http-problem-types#quota-exceeded';

const titles = new Map([
  [400, 'Bad Request'],
  [403, 'Forbidden'],
  [429, 'Too Many Requests'],
  [503, 'Service Unavailable'],
]);

/**
 * The answer to a refused request, a problem details object:
 * - 429 with `Retry-After` where a wait helps: `limited`, `overloaded`, `blocked` for a time
 * - 503 with `Retry-After` where the store could not be asked: the caller did nothing wrong
 * - 403 for a block without an end
 * - 400 for a cost that never fits: clients send a 429 again, and this one would never pass
 *
 * No cache keeps it (RFC 6585, section 4): it is one caller's answer, at one time.
 */
export function refusalOf(decision: Decision, headers: Readonly<Record<string, string>>): Refusal {
  const status = statusOf(decision);
  const violated = decision.policies.filter(({ retryAfterMs }) => retryAfterMs > 0).map(({ name }) => name);
  const isQuota = decision.reason === 'limited' && violated.length > 0;
  const body: Problem = {
    type: isQuota ? quotaExceeded : 'about:blank',
    title: titles.get(status) ?? '',
    status,
    detail: detailOf(decision),
    ...(isQuota && { 'violated-policies': violated }),
  };
  return {
    decision,
    status,
    headers: { 'Content-Type': 'application/problem+json', 'Cache-Control': 'no-store', ...headers },
    body,
  };
}

/** A refusal's body as it is sent. */
export function bodyText({ body }: Refusal): string {
  return typeof body === 'string' ? body : JSON.stringify(body);
}

function statusOf(decision: Decision): number {
  switch (decision.reason) {
    case 'never':
      return 400;
    case 'unavailable':
      return 503;
    case 'blocked':
      return retryAfterSecondsOf(decision) === undefined ? 403 : 429;
    default:
      return 429;
  }
}

function detailOf(decision: Decision): string {
  const { reason, cost, limit, remaining } = decision;
  const seconds = retryAfterSecondsOf(decision);
  const again = seconds === undefined ? '' : ` Try again in ${counted(seconds, 'second')}.`;
  switch (reason) {
    case 'never':
      return `The request needs ${counted(cost, 'unit')}, and no more than ${limit} are ever free.`;
    case 'blocked':
      return `The caller is blocked.${again}`;
    case 'overloaded':
      return `Too many requests of the caller came at once.${again}`;
    case 'unavailable':
      return `The limit cannot be checked.${again}`;
    default:
      return `The request needs ${counted(cost, 'unit')}, and ${free(Math.max(0, remaining))}.${again}`;
  }
}

function free(units: number): string {
  return units === 0 ? 'none is free' : `${units} ${units === 1 ? 'is' : 'are'} free`;
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
