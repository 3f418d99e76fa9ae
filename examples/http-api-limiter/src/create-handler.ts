import { createLimiter, type FailPolicy, type LimitStore, tokenBucket } from '@usher/limiter-core';
import { type ProxyResult, withLimit } from '@usher/limiter-core/lambda';

export interface HandlerOptions {
  readonly store: LimitStore;
  /** The answer while the table is away: let through, or 503. */
  readonly failPolicy: FailPolicy;
  readonly refillPerSecond?: number;
  readonly deadlineMs?: number;
}

/** The part of an HTTP API's event that the handler reads; who calls, the limiter reads by itself. */
interface Event {
  readonly rawPath: string;
}

/**
 * A handler behind a bucket for each account: who the JWT authorizer has verified, else the address. A request that fails
 * here costs the caller nothing, and a search costs five.
 */
export function createHandler({ refillPerSecond = 5, ...options }: HandlerOptions) {
  const limiter = createLimiter({
    ...options,
    name: 'http-api',
    strategy: tokenBucket({ capacity: 10, refillPerSecond }),
    onDecision: ({ allowed, degraded }) => {
      if (degraded) console.warn(JSON.stringify({ message: 'limits cannot be checked', allowed }));
    },
  });
  return withLimit(limiter, answer, {
    cost: ({ rawPath }) => (rawPath === '/search' ? 5 : 1),
    countIf: ({ statusCode }) => statusCode < 500,
  });
}

async function answer({ rawPath }: Event): Promise<ProxyResult> {
  if (rawPath === '/broken') return { statusCode: 502, body: 'the service behind is down' };
  return { statusCode: 200, body: 'here you are' };
}
