/** A bounded retry's environment: a pause, and randomness in [0, 1). */
export interface RetryEnvironment {
  readonly sleep: (ms: number) => Promise<void>;
  readonly random: () => number;
}

/** The machine's own timers and randomness. */
export const systemRetry: RetryEnvironment = {
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  random: Math.random,
};

/**
 * The pause before repeat number `attempt`, counted from 1: "full jitter", uniform between 0 and a bound that doubles
 * (AWS Architecture Blog, "Exponential Backoff And Jitter").
 */
export function jitteredMs(attempt: number, random: () => number, baseMs = 20, capMs = 1000): number {
  return Math.floor(random() * Math.min(capMs, baseMs * 2 ** (attempt - 1)));
}
