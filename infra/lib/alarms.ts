import { Duration, Stack } from 'aws-cdk-lib';
import { Alarm, type AlarmProps, ComparisonOperator, type IMetric, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import { EmailSubscription } from 'aws-cdk-lib/aws-sns-subscriptions';
import { Construct } from 'constructs';
import type { Flow } from './flow.ts';
import { usherMetrics } from './metrics.ts';
import { alarmAt, closer, intake as reserved } from './numbers.ts';
import type { WorkQueue } from './queue.ts';
import type { ServiceFunction } from './service-function.ts';

/**
 * The condition of an alarm: the metric is above `above`, or is below `below` or missing, in `datapoints` of the last `periods`
 * periods.
 */
type Condition = ({ readonly above: number } | { readonly below: number }) & {
  readonly metric: IMetric;
  /** @default 1 */
  readonly periods?: number;
  /** @default periods */
  readonly datapoints?: number;
};

/** Alarms and the topic that they go to. The name of each, without the stage, is a heading of `docs/runbook.md`. */
export class Alarms extends Construct {
  readonly topic: Topic;
  readonly all: readonly Alarm[];

  constructor(scope: Construct, id: string, flow: Flow) {
    super(scope, id);
    this.topic = new Topic(this, 'Topic', {
      displayName: `Usher ${flow.settings.stage}`,
      enforceSSL: true,
    });
    // The topic's policy stands in place of SNS's default one, so CloudWatch has to be let in by name.
    this.topic.grantPublish(
      new ServicePrincipal('cloudwatch.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': Stack.of(this).account } },
      }),
    );
    const { alarmEmail, stage } = flow.deployment;
    if (alarmEmail !== undefined) this.topic.addSubscription(new EmailSubscription(alarmEmail));
    const action = new SnsAction(this.topic);
    this.all = Object.entries(conditionsOf(flow)).map(([name, condition]) => {
      const { metric, periods = 1, datapoints = periods } = condition;
      const alarm = new Alarm(this, name, {
        alarmName: `usher-${stage}-${name}`,
        alarmDescription: `${headingOf(flow, name)} · ${dashboardOf(this, flow)}`,
        metric,
        ...boundOf(condition),
        evaluationPeriods: periods,
        datapointsToAlarm: datapoints,
      });
      alarm.addAlarmAction(action);
      alarm.addOkAction(action);
      return alarm;
    });
  }
}

function boundOf(condition: Condition): Pick<AlarmProps, 'threshold' | 'comparisonOperator' | 'treatMissingData'> {
  if ('above' in condition) {
    return {
      threshold: condition.above,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    };
  }
  return {
    threshold: condition.below,
    comparisonOperator: ComparisonOperator.LESS_THAN_THRESHOLD,
    treatMissingData: TreatMissingData.BREACHING,
  };
}

/** The runbook's entry of an alarm: a link where the deployment knows the runbook's address. */
function headingOf({ deployment: { runbookUrl } }: Flow, name: string): string {
  return runbookUrl === undefined ? `docs/runbook.md, heading ${name}` : `${runbookUrl}#${name}`;
}

/** A link that opens for whoever is signed in to the AWS account. */
function dashboardOf(scope: Construct, { settings }: Flow): string {
  const { region } = Stack.of(scope);
  return `https://console.aws.amazon.com/cloudwatch/home?region=${region}#dashboards/dashboard/${settings.dashboardName}`;
}

/** Every alarm by its name, in the order of the flow. */
function conditionsOf(flow: Flow): Readonly<Record<string, Condition>> {
  const { http, intake, queues, worker, table, bus, dispatch, pacer, reports } = flow;
  const own = usherMetrics(flow.settings.metricsNamespace);
  return {
    'api-server-errors': {
      metric: http.api.metricServerError({ statistic: 'Sum', period: minutes(5) }),
      above: alarmAt.serverErrors,
      periods: 3,
      datapoints: 2,
    },
    'api-client-errors': {
      metric: http.api.metricClientError({ statistic: 'Sum', period: minutes(5) }),
      above: alarmAt.clientErrors,
      periods: 3,
      datapoints: 2,
    },
    'api-throttled': {
      metric: http.throttledRequests,
      above: alarmAt.throttledRequests,
      periods: 3,
      datapoints: 2,
    },
    ...functionConditions('intake', intake.service),
    'intake-concurrency': {
      metric: intake.service.function.metric('ConcurrentExecutions', { statistic: 'Maximum', period: minutes(1) }),
      above: alarmAt.concurrencyShare * reserved.reservedConcurrency,
      periods: 3,
    },
    'intake-sends-failed': { metric: own.queueFailures, above: 0, periods: 3, datapoints: 2 },
    'intake-items-unreadable': { metric: own.unreadableItems, above: 0 },
    'intake-limiter-open': { metric: own.limiterFailedOpen, above: 0, periods: 3 },
    'bookings-oldest-message': oldest(queues.bookings, alarmAt.oldestChunkSeconds),
    'bookings-waiting': { metric: visible(queues.bookings.queue), above: alarmAt.waitingChunks, periods: 5 },
    'bookings-dead-letters': notEmpty(queues.bookings.deadLetters),
    'quarantine-not-empty': notEmpty(queues.quarantine),
    'policies-unreadable': { metric: own.unreadablePolicies, above: 0 },
    'clock-wrong': { metric: own.wrongClocks, above: 0 },
    ...functionConditions('worker', worker.service),
    'table-reads-consumed': {
      metric: table.table.metricConsumedReadCapacityUnits({ statistic: 'Sum', period: minutes(5) }),
      above: alarmAt.readUnits,
      periods: 3,
      datapoints: 2,
    },
    ...throttlingConditions(table),
    'quota-contention': { metric: own.contentionRetries, above: alarmAt.contentionRetries, periods: 3, datapoints: 2 },
    'events-failed': { metric: own.eventFailures, above: 0, periods: 3, datapoints: 2 },
    'events-dead-letters': notEmpty(bus.events.deadLetters),
    'worker-sends-failed': { metric: own.sendFailures, above: 0, periods: 3, datapoints: 2 },
    'dispatch-oldest-message': oldest(dispatch.dispatch, alarmAt.oldestDelayedSeconds),
    'dispatch-dead-letters': notEmpty(dispatch.dispatch.deadLetters),
    ...functionConditions('pacer', pacer.service),
    'pacing-oldest-message': oldest(dispatch.pacing, alarmAt.oldestDelayedSeconds),
    'pacing-dead-letters': notEmpty(dispatch.pacing.deadLetters),
    ...functionConditions('reporter', reports.reporter),
    'report-oldest-message': oldest(reports.events, alarmAt.oldestChunkSeconds),
    'report-dead-letters': notEmpty(reports.events.deadLetters),
    ...closerConditions(reports.closer),
  };
}

/**
 * A closer that is not run, fails twice running or comes near its timeout. It runs every 15 minutes, and the next run is its
 * repeat. A run that Lambda refuses to start is no invocation.
 */
function closerConditions({ function: fn, timeoutSeconds }: ServiceFunction): Record<string, Condition> {
  const period = minutes(closer.everyMinutes);
  return {
    'closer-idle': {
      metric: fn.metricInvocations({ statistic: 'Sum', period }),
      below: 1,
      periods: alarmAt.closerIdleMinutes / closer.everyMinutes,
    },
    'closer-errors': { metric: fn.metricErrors({ statistic: 'Sum', period }), above: 0, periods: 2 },
    'closer-slow': {
      metric: fn.metricDuration({ statistic: 'Maximum', period }),
      above: alarmAt.durationShare * timeoutSeconds * 1000,
    },
  };
}

/** A function that fails, is refused or comes near its timeout. */
function functionConditions(name: string, service: ServiceFunction): Record<string, Condition> {
  const { function: fn, timeoutSeconds } = service;
  const period = minutes(5);
  return {
    [`${name}-errors`]: { metric: fn.metricErrors({ statistic: 'Sum', period }), above: 0, periods: 3, datapoints: 2 },
    [`${name}-throttles`]: { metric: fn.metricThrottles({ statistic: 'Sum', period }), above: 0, periods: 3 },
    [`${name}-slow`]: {
      metric: fn.metricDuration({ statistic: 'p99', period }),
      above: alarmAt.durationShare * timeoutSeconds * 1000,
      periods: 3,
      datapoints: 2,
    },
  };
}

function oldest({ queue }: WorkQueue, seconds: number): Condition {
  const metric = queue.metricApproximateAgeOfOldestMessage({ statistic: 'Maximum', period: minutes(1) });
  return { metric, above: seconds, periods: 3 };
}

function notEmpty(queue: WorkQueue['queue']): Condition {
  return { metric: visible(queue), above: 0 };
}

function visible(queue: WorkQueue['queue']): IMetric {
  return queue.metricApproximateNumberOfMessagesVisible({ statistic: 'Maximum', period: minutes(1) });
}

/** Reads and writes that DynamoDB refused for capacity. A throttled index holds up the writes of the table. */
function throttlingConditions({ table, indexName, dayIndexName }: Flow['table']): Record<string, Condition> {
  const options = { statistic: 'Sum', period: minutes(1) };
  const ofIndex = (name: string) => ({
    ...options,
    dimensionsMap: { TableName: table.tableName, GlobalSecondaryIndexName: name },
  });
  const often = { above: 0, periods: 5, datapoints: 3 };
  return {
    'table-reads-throttled': { metric: table.metric('ReadThrottleEvents', options), ...often },
    'table-writes-throttled': { metric: table.metric('WriteThrottleEvents', options), ...often },
    'index-writes-throttled': { metric: table.metric('WriteThrottleEvents', ofIndex(indexName)), ...often },
    'day-index-writes-throttled': { metric: table.metric('WriteThrottleEvents', ofIndex(dayIndexName)), ...often },
  };
}

function minutes(count: number): Duration {
  return Duration.minutes(count);
}
