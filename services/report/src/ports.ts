import type { UsherEvent } from '@usher/contracts';
import type { Clock, Policy } from '@usher/limiter-core/bulk';
import type { Log, Meter } from '@usher/service';
import type { ReportMetric } from './metrics.ts';
import type { Days } from './store/days.ts';
import type { EventFacts } from './store/event-facts.ts';
import type { ReportFiles } from './store/report-files.ts';
import type { Runs } from './store/runs.ts';

/** Everything outside the report service that it works with. */
export interface ReportPorts {
  readonly facts: EventFacts;
  readonly days: Days;
  readonly files: ReportFiles;
  readonly runs: Runs;
  /** Publishes one event; rejects unless the bus took it. */
  readonly publish: (event: UsherEvent) => Promise<void>;
  /** The queues of dead letters, each with the messages that lie in it now. */
  readonly deadLetters: () => Promise<readonly { readonly queue: string; readonly messages: number }[]>;
  /** The policy of an account where its own says nothing. */
  readonly defaultPolicy: Policy;
  readonly clock: Clock;
  /**
   * The time for which no other closer takes over a run that one has claimed. 0 where no two closers ever run at once.
   * @default 14 minutes, which no closer on AWS outlives
   */
  readonly runLeaseMs?: number;
  /** A random token, another one each time: the name of an attempt. */
  readonly randomId: () => string;
  readonly log: Log;
  readonly meter: Meter<ReportMetric>;
}
