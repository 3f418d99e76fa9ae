import { intakeMetrics } from '@usher/intake';
import { reportMetrics } from '@usher/report';
import { workerMetrics } from '@usher/worker';
import { Duration } from 'aws-cdk-lib';
import { type IMetric, Metric } from 'aws-cdk-lib/aws-cloudwatch';

/** The services' own metrics, written in the embedded metric format, as CloudWatch sees them. */
export interface UsherMetrics {
  readonly bookingsAccepted: IMetric;
  readonly reservationsAccepted: IMetric;
  readonly submissionsLimited: IMetric;
  readonly unreadableItems: IMetric;
  readonly limiterFailedOpen: IMetric;
  /** Chunks that SQS did not take of intake. */
  readonly queueFailures: IMetric;
  readonly granted: IMetric;
  readonly rejected: IMetric;
  readonly replayed: IMetric;
  readonly dispatched: IMetric;
  readonly paced: IMetric;
  readonly settleLatency: IMetric;
  readonly contentionRetries: IMetric;
  /** Accounts that wait because their policy cannot be read. */
  readonly unreadablePolicies: IMetric;
  /** Buckets that were emptied because a wrong clock had scheduled them. */
  readonly wrongClocks: IMetric;
  readonly eventFailures: IMetric;
  /** Messages of the worker and the pacer that SQS did not take. */
  readonly sendFailures: IMetric;
  /** Deliveries of events put into the report's table, and those of them that came late for their day's report. */
  readonly factsStored: IMetric;
  readonly lateFacts: IMetric;
  readonly reports: IMetric;
  /** Days that a closer could not close. */
  readonly closeFailures: IMetric;
}

export function usherMetrics(namespace: string): UsherMetrics {
  const of =
    (service: string) =>
    (metricName: string, statistic = 'Sum'): Metric =>
      new Metric({ namespace, metricName, statistic, period: Duration.minutes(5), dimensionsMap: { service } });
  const [intake, worker, report] = [of('intake'), of('worker'), of('report')];
  return {
    bookingsAccepted: intake(intakeMetrics.bookingsAccepted),
    reservationsAccepted: intake(intakeMetrics.reservationsAccepted),
    submissionsLimited: intake(intakeMetrics.submissionsLimited),
    unreadableItems: intake(intakeMetrics.unreadableItems),
    limiterFailedOpen: intake(intakeMetrics.limiterFailedOpen),
    queueFailures: intake(intakeMetrics.queueFailures),
    granted: worker(workerMetrics.granted),
    rejected: worker(workerMetrics.rejected),
    replayed: worker(workerMetrics.replayed),
    dispatched: worker(workerMetrics.dispatched),
    paced: worker(workerMetrics.paced),
    settleLatency: worker(workerMetrics.settleLatency, 'p99'),
    contentionRetries: worker(workerMetrics.contentionRetries),
    unreadablePolicies: worker(workerMetrics.unreadablePolicies),
    wrongClocks: worker(workerMetrics.wrongClocks),
    eventFailures: worker(workerMetrics.eventFailures),
    sendFailures: worker(workerMetrics.sendFailures),
    factsStored: report(reportMetrics.factsStored),
    lateFacts: report(reportMetrics.lateFacts),
    reports: report(reportMetrics.reports),
    closeFailures: report(reportMetrics.closeFailures),
  };
}
