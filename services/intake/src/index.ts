export { type Authenticate, type Caller, callerOf, type NoCaller } from './caller.ts';
export { defaultSubmissionRate, type IntakeConfig, readConfig } from './config.ts';
export { createIntake, type IntakeOptions } from './create-intake.ts';
export { UnavailableError } from './errors.ts';
export { bookingIdOf, leaseMs } from './idempotency.ts';
export { type IntakeMetric, intakeMetrics } from './metrics.ts';
export { defaultRequestRates, type RequestRates, refusalCost } from './request-limits.ts';
export type { IntakeEnv } from './routing.ts';
