export { type Clock, systemClock, type VirtualClock, virtualClock } from './clock.ts';
export { CorruptItemError, DeterministicError, InvalidArgumentError, UsherError } from './errors.ts';
export type { Decision, PolicyStatus, RefusalReason } from './limiter/decision.ts';
export type { Delay } from './limiter/delay.ts';
export { OverloadedError, StoreUnavailableError } from './limiter/errors.ts';
export type { HeaderFormat } from './limiter/headers.ts';
export { createLimiter, type Limiter, type SyncLimiter } from './limiter/limiter.ts';
export type {
  CheckArguments,
  CheckOptions,
  CheckRequest,
  CommonOptions,
  FailedCheck,
  FailPolicy,
  LimiterOptions,
  WaitArguments,
  WaitOptions,
} from './limiter/limiter-options.ts';
export { type MemoryStoreOptions, memory } from './limiter/memory-store.ts';
export type { Strategies } from './limiter/policies.ts';
export type { LimitStore, Limits, Policy, Seen, SyncLimitStore, Taken } from './limiter/store.ts';
export { type Bucket, type BucketState, gcra, tokenBucket } from './limiter/strategies/bucket.ts';
export type { CalendarUnit } from './limiter/strategies/calendar.ts';
export { type SlidingState, type SlidingWindow, slidingWindow } from './limiter/strategies/sliding-window.ts';
export type { Rule, State, Strategy } from './limiter/strategies/strategy.ts';
export type { TickRate } from './limiter/strategies/tick-rate.ts';
export {
  type CountedWindow,
  calendarWindow,
  fixedWindow,
  type Span,
  type WindowState,
} from './limiter/strategies/window.ts';
