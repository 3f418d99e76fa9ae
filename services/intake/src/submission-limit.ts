import { chunkMaxBytes, chunkMaxRows } from '@usher/contracts';
import {
  createLimiter,
  type Decision,
  type Delay,
  type Limiter,
  type LimitStore,
  tokenBucket,
} from '@usher/limiter-core';
import type { Clock, Rate } from '@usher/limiter-core/bulk';
import { errorFields, type Log, type Meter } from '@usher/service';
import { type IntakeMetric, intakeMetrics } from './metrics.ts';
import { rateLimitHeaders } from './rate-limit-headers.ts';

/** The rate where nothing else is configured: 200 chunks at once, 20 chunks per second. */
export const defaultSubmissionRate: Rate = { burst: 200, refillPerSecond: 20 };

export interface SubmissionLimitOptions {
  readonly store: LimitStore;
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

/** No deadline of the limiter's own: the client that all of intake shares ends its calls by itself. */
const noDeadline: Delay = () => new Promise(() => undefined);

/** Bounds the chunks that an account may submit, so that no partner fills the queue that all share. */
export class SubmissionLimit {
  readonly #options: SubmissionLimitOptions;
  readonly #limiter: Limiter;

  constructor(options: SubmissionLimitOptions) {
    this.#options = options;
    const { store, clock, rate } = options;
    this.#limiter = createLimiter({
      name: 'submission',
      strategy: tokenBucket({ capacity: rate.burst, refillPerSecond: rate.refillPerSecond }),
      store,
      clock,
      delay: noDeadline,
      failPolicy: ({ key, error }) => {
        this.#failedOpen(key, error);
        return 'open';
      },
    });
  }

  /**
   * Takes the chunks of a booking from the account's bucket. The bucket guards the queue, not the quota: if its store
   * fails, the booking passes, and that is logged and counted. Only where the store throttles the account itself it is
   * refused: else whoever submits often enough would open the limiter for himself.
   */
  async check(accountId: string, chunks: number): Promise<SubmissionVerdict> {
    // A booking of more chunks than the bucket ever holds waits for a full one; it must not be refused for good.
    const units = Math.min(chunks, this.#options.rate.burst);
    try {
      return this.#verdict(await this.#limiter.check(accountId, units), { chunks, units });
    } catch (error) {
      this.#failedOpen(accountId, error);
      return { headers: {} };
    }
  }

  #failedOpen(accountId: string, error: unknown): void {
    const { log, meter } = this.#options;
    log.warn('submission limiter failed open', { accountId, ...errorFields(error) });
    meter.count(intakeMetrics.limiterFailedOpen, 1);
  }

  #verdict(decision: Decision, { chunks, units }: { chunks: number; units: number }): SubmissionVerdict {
    if (decision.degraded) return { headers: {} };
    const { rate, clock } = this.#options;
    const { remaining, resetsAt } = decision;
    const headers = {
      ...rateLimitHeaders({
        name: 'submission',
        quota: rate.burst,
        windowSeconds: Math.ceil(rate.burst / rate.refillPerSecond),
        remaining,
        resetSeconds: Math.max(0, Math.ceil((resetsAt - clock()) / 1000)),
      }),
      'x-ratelimit-limit': String(rate.burst),
      'x-ratelimit-remaining': String(remaining),
      'x-ratelimit-reset': String(Math.ceil(resetsAt / 1000)),
    };
    if (decision.allowed) return { headers };
    const needed = units === chunks ? `${units} units` : `all ${units} units (it has ${chunks} chunks)`;
    const detail = `This booking needs ${needed} and ${remaining} are free; ${unitMeaning}.`;
    return { headers, retryAfterSeconds: Math.max(1, Math.ceil(decision.retryAfterMs / 1000)), detail };
  }
}
