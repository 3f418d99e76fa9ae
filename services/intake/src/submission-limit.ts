import { chunkMaxBytes, chunkMaxRows } from '@usher/contracts';
import type { Check, Clock, Limiter, Rate } from '@usher/limiter-core/bulk';
import { errorFields, type Log, type Meter } from '@usher/service';
import { type IntakeMetric, intakeMetrics } from './metrics.ts';
import { rateLimitHeaders } from './rate-limit-headers.ts';

/** The rate where nothing else is configured: 200 chunks at once, 20 chunks per second. */
export const defaultSubmissionRate: Rate = { burst: 200, refillPerSecond: 20 };

export interface SubmissionLimitOptions {
  readonly limiter: Pick<Limiter, 'check'>;
  /** Chunks per second and chunks at once. */
  readonly rate: Rate;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter<IntakeMetric>;
}

/** The limiter's answer, and the headers that tell the chunks left. */
export type SubmissionVerdict = SubmissionHeaders &
  (
    | { readonly retryAfterSeconds?: undefined }
    /** Refused: the seconds to wait, and a sentence with the units needed and free. */
    | { readonly retryAfterSeconds: number; readonly detail: string }
  );

interface SubmissionHeaders {
  readonly headers: Readonly<Record<string, string>>;
}

const unitMeaning = `a unit is a chunk of up to ${chunkMaxRows} rows and ${chunkMaxBytes / 1024} KiB`;

/** Bounds the chunks that an account may submit, so that no partner fills the queue that all share. */
export class SubmissionLimit {
  readonly #options: SubmissionLimitOptions;

  constructor(options: SubmissionLimitOptions) {
    this.#options = options;
  }

  /**
   * Takes the chunks of a booking from the account's bucket. The bucket guards the queue, not the quota: if its store
   * fails, the booking passes, and that is logged and counted.
   */
  async check(accountId: string, chunks: number): Promise<SubmissionVerdict> {
    const { limiter, rate, log, meter } = this.#options;
    try {
      // A booking of more chunks than the bucket ever holds waits for a full one; it must not be refused for good.
      const units = Math.min(chunks, rate.burst);
      return this.#verdict(await limiter.check(accountId, units), { chunks, units });
    } catch (error) {
      log.warn('submission limiter failed open', { accountId, ...errorFields(error) });
      meter.count(intakeMetrics.limiterFailedOpen, 1);
      return { headers: {} };
    }
  }

  #verdict(check: Check, { chunks, units }: { chunks: number; units: number }): SubmissionVerdict {
    if (check.kind === 'never') return { headers: {} };
    const { rate, clock } = this.#options;
    const headers = {
      ...rateLimitHeaders({
        name: 'submission',
        quota: rate.burst,
        windowSeconds: Math.ceil(rate.burst / rate.refillPerSecond),
        remaining: check.remaining,
        resetSeconds: Math.max(0, Math.ceil((check.resetAtMs - clock()) / 1000)),
      }),
      'x-ratelimit-limit': String(rate.burst),
      'x-ratelimit-remaining': String(check.remaining),
      'x-ratelimit-reset': String(Math.ceil(check.resetAtMs / 1000)),
    };
    if (check.kind === 'allowed') return { headers };
    const needed = units === chunks ? `${units} units` : `all ${units} units (it has ${chunks} chunks)`;
    const detail = `This booking needs ${needed} and ${check.remaining} are free; ${unitMeaning}.`;
    return { headers, retryAfterSeconds: Math.ceil(check.retryAfterMs / 1000), detail };
  }
}
