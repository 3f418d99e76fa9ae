import { type Decision, lastInstantMs, type PolicyStatus } from './decision.ts';
import { assertOneOf } from './strategies/assert.ts';

/**
 * A form of the headers that tell a caller its limits:
 * - `draft-11`: `RateLimit-Policy` and `RateLimit` with every limit, structured fields of
 *   draft-ietf-httpapi-ratelimit-headers-11
 * - `draft-6`: `RateLimit-Limit`, `-Remaining`, `-Reset` (seconds to go) of the limit that is nearest to refuse, and
 *   `RateLimit-Policy` with every limit
 * - `legacy`: `X-RateLimit-Limit`, `-Remaining`, `-Reset` (seconds since the Unix epoch) of the limit that is nearest to
 *   refuse
 */
export type HeaderFormat = 'draft-11' | 'draft-6' | 'legacy';

/** Every {@link HeaderFormat}. */
export const headerFormats: readonly HeaderFormat[] = ['draft-11', 'draft-6', 'legacy'];

/** The largest integer of a structured field (RFC 9651, section 3.3.1). */
const maxInteger = 999_999_999_999_999;

/**
 * The headers of a decision. A refusal that a wait helps has `Retry-After`, which wins over every other header (RFC 9110,
 * section 10.2.3), and no reset is later than it. A decision that knows no state tells no limits.
 *
 * @param options.nowMs the instant of the response, which relative times count from: milliseconds since the Unix epoch
 * @throws InvalidArgumentError for an unknown format
 */
export function rateLimitHeaders(
  decision: Decision,
  { format, nowMs }: { readonly format: HeaderFormat; readonly nowMs: number },
): Record<string, string> {
  assertOneOf('format', format, headerFormats);
  const retryAfterSeconds = retryAfterSecondsOf(decision);
  const headers: Record<string, string> = {};
  if (decision.policies.length > 0) Object.assign(headers, limitsIn(format, { decision, nowMs, retryAfterSeconds }));
  if (retryAfterSeconds !== undefined) headers['Retry-After'] = String(retryAfterSeconds);
  return headers;
}

/** The wait after a refusal: whole seconds, rounded up, of at most 15 digits; undefined where none helps. */
export function retryAfterSecondsOf({
  allowed,
  reason,
  retryAfterMs,
  resetsAt,
}: Pick<Decision, 'allowed' | 'reason' | 'retryAfterMs' | 'resetsAt'>): number | undefined {
  if (allowed || retryAfterMs <= 0 || (reason === 'blocked' && resetsAt >= lastInstantMs)) return undefined;
  return whole(Math.ceil(retryAfterMs / 1000));
}

interface Told {
  readonly decision: Decision;
  readonly nowMs: number;
  readonly retryAfterSeconds: number | undefined;
}

function limitsIn(format: HeaderFormat, { decision, nowMs, retryAfterSeconds }: Told): Record<string, string> {
  const { policies, limit, remaining, resetsAt } = decision;
  const lastMs = retryAfterSeconds === undefined ? lastInstantMs : nowMs + retryAfterSeconds * 1000;
  const secondsTo = (instant: number): number => whole(Math.ceil((Math.min(instant, lastMs) - nowMs) / 1000));
  switch (format) {
    case 'draft-11':
      return {
        'RateLimit-Policy': policies.map((p) => `"${p.name}";q=${whole(p.limit)};w=${windowSeconds(p)}`).join(','),
        RateLimit: policies.map((p) => `"${p.name}";r=${whole(p.remaining)};t=${secondsTo(p.resetsAt)}`).join(','),
      };
    case 'draft-6':
      return {
        'RateLimit-Policy': policies.map((p) => `${whole(p.limit)};w=${windowSeconds(p)}`).join(','),
        'RateLimit-Limit': String(whole(limit)),
        'RateLimit-Remaining': String(whole(remaining)),
        'RateLimit-Reset': String(secondsTo(resetsAt)),
      };
    case 'legacy':
      return {
        'X-RateLimit-Limit': String(whole(limit)),
        'X-RateLimit-Remaining': String(whole(remaining)),
        'X-RateLimit-Reset': String(Math.ceil(Math.min(resetsAt, lastMs) / 1000)),
      };
  }
}

/** A window must be at least a second long (section 3.1.3 of the draft). */
function windowSeconds({ windowMs }: PolicyStatus): number {
  return Math.max(1, whole(Math.ceil(windowMs / 1000)));
}

/** A number as a field may tell it. What is owed after a charge counts as 0: no parameter is negative. */
function whole(value: number): number {
  return Math.min(maxInteger, Math.max(0, value));
}
