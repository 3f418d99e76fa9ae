export { type Authenticate, type Caller, callerOf, type NoCaller } from './caller.ts';
export { leaseMs } from './claim-booking.ts';
export { type IntakeConfig, type IntakeEnvironment, readConfig } from './config.ts';
export { createIntake, type IntakePorts } from './create-intake.ts';
export { UnavailableError } from './errors.ts';
export { type IntakeMetric, intakeMetrics } from './metrics.ts';
export { defaultRequestRates, type RequestRates, refusalCost } from './request-limits.ts';
export type { IntakeEnv } from './routing.ts';
export { defaultSubmissionRate } from './submission-limit.ts';
