/** A policy: what an account may spend, and how fast it is handed on. */
export interface Policy {
  /** Cost that may be granted in one window; 0 refuses everything. */
  readonly dailyLimit: number;
  /** Cost per second at which granted reservations are handed on. */
  readonly refillPerSecond: number;
  /** Cost that may be handed on at once after a quiet time. */
  readonly burst: number;
  /** The IANA zone whose local day is the window. */
  readonly timezone: string;
  /** `observe` grants what `enforce` would have rejected for the quota, and tells of it. */
  readonly mode: 'enforce' | 'observe';
  /** Shares of the daily limit, ascending, at which an event is published. */
  readonly thresholds: readonly number[];
}

/** The policy where nothing is configured. */
export const builtInPolicy: Policy = Object.freeze({
  dailyLimit: 1000,
  refillPerSecond: 10,
  burst: 20,
  timezone: 'UTC',
  mode: 'enforce',
  thresholds: [0.8, 1],
});
