export { jitteredMs, type RetryEnvironment, systemRetry } from './backoff.ts';
export { type Clock, systemClock, type VirtualClock, virtualClock } from './clock.ts';
export * from './errors.ts';
