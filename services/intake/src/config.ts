import { builtInPolicy, type Policy, type Rate } from '@usher/limiter-core/bulk';
import { DefaultPolicy, readEnvironment } from '@usher/service';
import { type } from 'arktype';
import type { RequestRates } from './request-limits.ts';
import { defaultSubmissionRate } from './submission-limit.ts';

/** Intake's configuration. */
export interface IntakeConfig {
  readonly tableName: string;
  readonly bookingsQueueUrl: string;
  /** The policy of accounts that override nothing. */
  readonly defaultPolicy: Policy;
  /** Chunks that an account may submit per second, and at once. */
  readonly submission: Rate;
  /** The rates at which one account may ask one instance. @default {@link defaultRequestRates} */
  readonly requests?: RequestRates;
}

const Environment = type({
  USHER_TABLE: 'string > 0',
  USHER_BOOKINGS_QUEUE_URL: 'string.url',
  'USHER_DEFAULT_POLICY?': DefaultPolicy,
  /** The claim of the token that names the account. */
  'USHER_ACCOUNT_CLAIM?': 'string > 0',
  'USHER_SUBMISSION_BURST?': type('string.integer.parse').to('1 <= number <= 1000000'),
  'USHER_SUBMISSION_REFILL?': type('string.numeric.parse').to('0.1 <= number <= 1000000'),
});

/** The variables of intake's environment; whoever deploys it sets all but the optional ones. */
export type IntakeEnvironment = typeof Environment.inferIn;

/**
 * Reads the configuration from environment variables.
 *
 * @throws InvalidConfigError naming the variable
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): IntakeConfig & { accountClaim: string } {
  const read = readEnvironment(Environment, env);
  return {
    tableName: read.USHER_TABLE,
    bookingsQueueUrl: read.USHER_BOOKINGS_QUEUE_URL,
    defaultPolicy: read.USHER_DEFAULT_POLICY ?? builtInPolicy,
    accountClaim: read.USHER_ACCOUNT_CLAIM ?? 'sub',
    submission: {
      burst: read.USHER_SUBMISSION_BURST ?? defaultSubmissionRate.burst,
      refillPerSecond: read.USHER_SUBMISSION_REFILL ?? defaultSubmissionRate.refillPerSecond,
    },
  };
}
