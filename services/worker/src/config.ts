import { builtInPolicy, type Policy } from '@usher/limiter-core/bulk';
import { DefaultPolicy, readEnvironment } from '@usher/service';
import { type } from 'arktype';
import { longestCallMs } from './clients.ts';

/** The worker's configuration, as its environment tells it. */
export interface WorkerConfig {
  readonly tableName: string;
  readonly eventBusName: string;
  readonly dispatchQueueUrl: string;
  readonly pacingQueueUrl: string;
  readonly quarantineQueueUrl: string;
  /** The policy of an account where its own says nothing. */
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
  'USHER_DEFAULT_POLICY?': DefaultPolicy,
});

/** The variables of the worker's environment; whoever deploys it sets all but the optional ones. */
export type WorkerEnvironment = typeof Environment.inferIn;

/**
 * Reads the worker's configuration.
 *
 * @throws InvalidConfigError
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): WorkerConfig {
  const read = readEnvironment(Environment, env);
  return {
    tableName: read.USHER_TABLE,
    eventBusName: read.USHER_BUS,
    dispatchQueueUrl: read.USHER_DISPATCH_QUEUE_URL,
    pacingQueueUrl: read.USHER_PACING_QUEUE_URL,
    quarantineQueueUrl: read.USHER_QUARANTINE_QUEUE_URL,
    defaultPolicy: read.USHER_DEFAULT_POLICY ?? builtInPolicy,
    deadlineMarginMs: longestCallMs,
  };
}
