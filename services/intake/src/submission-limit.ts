import type { Check, Clock, Limiter, Rate } from '@usher/limiter-core';
import { rateLimitHeaders } from './rate-limit-headers.ts';
import { errorFields, intakeMetrics, type Log, type Meter } from './telemetry.ts';

export interface SubmissionLimitOptions {
  readonly limiter: Pick<Limiter, 'check'>;
  /** Chunks per second and chunks at once. */
  readonly rate: Rate;
  readonly clock: Clock;
  readonly log: Log;
  readonly meter: Meter;
}

/** Whether chunks may be submitted now, and the headers that tell how many more. */
export interface SubmissionVerdict {
  /** Seconds to wait where it is refused. */
  readonly retryAfterSeconds?: number;
  readonly headers: Readonly<Record<string, string>>;
}

/** Bounds how many chunks an account may submit, so that no partner fills the queue that all share. */
export class SubmissionLimit {
  readonly #options: SubmissionLimitOptions;

  constructor(options: SubmissionLimitOptions) {
    this.#options = options;
  }

  /**
   * Takes the chunks of a booking from the account's bucket. It guards the queue, not the quota: where its store fails
   * the booking passes, and that is logged and counted.
   */
  async check(accountId: string, chunks: number): Promise<SubmissionVerdict> {
    const { limiter, rate, log, meter } = this.#options;
    try {
      // A booking of more chunks than the bucket ever holds waits for a full one; it must not be refused for good.
      return this.#verdict(await limiter.check(accountId, Math.min(chunks, rate.burst)));
    } catch (error) {
      log.warn('submission limiter failed open', { accountId, ...errorFields(error) });
      meter.count(intakeMetrics.limiterFailedOpen, 1);
      return { headers: {} };
    }
  }

  #verdict(check: Check): SubmissionVerdict {
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
    return check.kind === 'allowed'
      ? { headers }
      : { headers, retryAfterSeconds: Math.ceil(check.retryAfterMs / 1000) };
  }
}
