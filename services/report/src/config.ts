import { builtInPolicy, type Policy } from '@usher/limiter-core/bulk';
import { DefaultPolicy, readEnvironment } from '@usher/service';
import { type } from 'arktype';

/** The report service's configuration, as its environment tells it. */
export interface ReportConfig {
  /** The table of accounts, bookings and the ledger, which is only read. */
  readonly tableName: string;
  /** The report's own table. */
  readonly reportTableName: string;
  readonly bucketName: string;
  readonly eventBusName: string;
  /** The queues of dead letters that reports count. */
  readonly deadLetterQueueUrls: readonly string[];
  /** The policy of an account where its own says nothing. */
  readonly defaultPolicy: Policy;
}

const Environment = type({
  USHER_TABLE: 'string > 0',
  USHER_REPORT_TABLE: 'string > 0',
  USHER_REPORT_BUCKET: 'string > 0',
  USHER_BUS: 'string > 0',
  /** URLs with a comma between. */
  USHER_DEAD_LETTER_QUEUE_URLS: type('string > 0')
    .pipe((urls) => urls.split(','))
    .to('string.url[]'),
  'USHER_DEFAULT_POLICY?': DefaultPolicy,
});

/** The variables of the report service's environment; whoever deploys it sets all but the optional ones. */
export type ReportEnvironment = typeof Environment.inferIn;

/**
 * Reads the report service's configuration.
 *
 * @throws InvalidConfigError
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>): ReportConfig {
  const read = readEnvironment(Environment, env);
  return {
    tableName: read.USHER_TABLE,
    reportTableName: read.USHER_REPORT_TABLE,
    bucketName: read.USHER_REPORT_BUCKET,
    eventBusName: read.USHER_BUS,
    deadLetterQueueUrls: read.USHER_DEAD_LETTER_QUEUE_URLS,
    defaultPolicy: read.USHER_DEFAULT_POLICY ?? builtInPolicy,
  };
}
