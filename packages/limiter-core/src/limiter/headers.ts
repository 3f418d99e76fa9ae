import type { Decision } from './decision.ts';

/** A form of the headers that tell a caller its limits. */
export type HeaderFormat = 'draft-11' | 'draft-6' | 'legacy';

/** The headers of a decision. */
export function rateLimitHeaders(_decision: Decision, _format: HeaderFormat): Record<string, string> {
  return {};
}
