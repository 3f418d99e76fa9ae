/** A quota as headers tell it: units, and whole seconds. */
export interface RateLimitState {
  readonly name: 'daily' | 'submission';
  readonly quota: number;
  readonly windowSeconds: number;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** `RateLimit-Policy` and `RateLimit` (draft-ietf-httpapi-ratelimit-headers-10). */
export function rateLimitHeaders(state: RateLimitState): Record<string, string> {
  return {
    'RateLimit-Policy': `"${state.name}";q=${state.quota};w=${state.windowSeconds}`,
    RateLimit: `"${state.name}";r=${state.remaining};t=${state.resetSeconds}`,
  };
}
