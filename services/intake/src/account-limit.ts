import type { Clock, Rate } from '@usher/limiter-core/bulk';

export interface AccountLimitOptions {
  readonly rate: Rate;
  readonly clock: Clock;
  /** The most accounts remembered. Past it the one longest unused is forgotten, as if its bucket were full. @default 10000 */
  readonly accountsMax?: number;
}

/**
 * A token bucket per account in this process's memory. It guards the process and the services it calls, and no quota:
 * another instance knows nothing of it. Unlike limiter-core's Limiter it answers at once, can be asked without taking,
 * and its memory is bounded.
 */
export class AccountLimit {
  readonly #options: AccountLimitOptions;
  /** The instant at which an account's bucket is full again, whole microseconds since the epoch; longest unused first. */
  readonly #fullAtMicros = new Map<string, number>();
  /** The time in which one unit refills, whole microseconds, so that sums are exact. */
  readonly #intervalMicros: number;

  constructor(options: AccountLimitOptions) {
    this.#options = options;
    this.#intervalMicros = Math.ceil(1_000_000 / options.rate.refillPerSecond);
  }

  /** Seconds until a cost can be taken, whole, 0 for at once. A cost above the burst waits for a full bucket. */
  waitSeconds(accountId: string, cost: number): number {
    const { burst } = this.#options.rate;
    const missingMicros = this.#owedMicros(accountId) - (burst - Math.min(cost, burst)) * this.#intervalMicros;
    return Math.ceil(Math.max(0, missingMicros) / 1_000_000);
  }

  /** Takes a cost. The bucket never owes more than its burst, whatever the clock does. */
  charge(accountId: string, cost: number): void {
    const { rate, clock, accountsMax = 10_000 } = this.#options;
    const owedMicros = Math.min(
      rate.burst * this.#intervalMicros,
      this.#owedMicros(accountId) + cost * this.#intervalMicros,
    );
    this.#fullAtMicros.delete(accountId);
    this.#fullAtMicros.set(accountId, clock() * 1000 + owedMicros);
    const [oldest] = this.#fullAtMicros.keys();
    if (this.#fullAtMicros.size > accountsMax && oldest !== undefined) this.#fullAtMicros.delete(oldest);
  }

  /** Takes a cost if it can be taken now. Gives the seconds to wait: 0 where it was taken. */
  take(accountId: string, cost: number): number {
    const wait = this.waitSeconds(accountId, cost);
    if (wait === 0) this.charge(accountId, cost);
    return wait;
  }

  #owedMicros(accountId: string): number {
    const { rate, clock } = this.#options;
    const aheadMicros = (this.#fullAtMicros.get(accountId) ?? 0) - clock() * 1000;
    return Math.min(rate.burst * this.#intervalMicros, Math.max(0, aheadMicros));
  }
}
