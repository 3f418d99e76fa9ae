import { JsonText } from '@usher/contracts';
import { builtInPolicy, InvalidPolicyError, type Policy, resolvePolicy, UsherError } from '@usher/limiter-core';
import { type } from 'arktype';
import { longestCallMs } from './clients.ts';

/** What the worker is told by its environment. */
export interface WorkerConfig {
  readonly tableName: string;
  readonly eventBusName: string;
  readonly dispatchQueueUrl: string;
  readonly pacingQueueUrl: string;
  readonly quarantineQueueUrl: string;
  /** What holds for an account where its own policy says nothing. */
  readonly defaultPolicy: Policy;
  /** No call begins when less than this is left of the invocation; what is not done then is handed back. */
  readonly deadlineMarginMs: number;
}

const Environment = type({
  USHER_TABLE: 'string > 0',
  USHER_BUS: 'string > 0',
  USHER_DISPATCH_QUEUE_URL: 'string.url',
  USHER_PACING_QUEUE_URL: 'string.url',
  USHER_QUARANTINE_QUEUE_URL: 'string.url',
  'USHER_DEFAULT_POLICY?': JsonText,
});

/** The environment lacks a variable, or one is malformed; the message names it. */
export class InvalidConfigError extends UsherError {
  override readonly name = 'InvalidConfigError';
}

/**
 * Reads the worker's configuration.
 *
 * @throws InvalidConfigError
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): WorkerConfig {
  const read = Environment(env);
  if (read instanceof type.errors) throw new InvalidConfigError(`Invalid environment: ${read.summary}`);
  return {
    tableName: read.USHER_TABLE,
    eventBusName: read.USHER_BUS,
    dispatchQueueUrl: read.USHER_DISPATCH_QUEUE_URL,
    pacingQueueUrl: read.USHER_PACING_QUEUE_URL,
    quarantineQueueUrl: read.USHER_QUARANTINE_QUEUE_URL,
    defaultPolicy: readDefaultPolicy(read.USHER_DEFAULT_POLICY ?? {}),
    deadlineMarginMs: longestCallMs,
  };
}

function readDefaultPolicy(overrides: unknown): Policy {
  try {
    return resolvePolicy(builtInPolicy, overrides);
  } catch (error) {
    if (error instanceof InvalidPolicyError) {
      throw new InvalidConfigError(`Invalid environment: USHER_DEFAULT_POLICY: ${error.problem}`);
    }
    throw error;
  }
}
