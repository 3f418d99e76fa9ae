import { readFileSync } from 'node:fs';
import { type } from 'arktype';
import { CfnAlarm } from 'aws-cdk-lib/aws-cloudwatch';
import { describe, expect, test } from 'vitest';
import { createApp } from './create-app.ts';
import { contextOf } from './testing/contexts.ts';
import { prod, propertiesOf, resourcesOf, templateOf } from './testing/template.ts';

const alarmType = 'AWS::CloudWatch::Alarm';
const Alarm = type({
  AlarmName: 'string',
  AlarmDescription: 'string',
  Namespace: 'string',
  MetricName: 'string',
  Threshold: 'number',
  Period: 'number',
  'Statistic?': 'string',
  'ExtendedStatistic?': 'string',
  EvaluationPeriods: 'number',
  DatapointsToAlarm: 'number',
  ComparisonOperator: 'string',
  TreatMissingData: 'string',
  AlarmActions: 'string[]',
  OKActions: 'string[]',
  'Dimensions?': type({ Name: 'string', Value: 'unknown' }).array(),
});

function alarms(stage: 'dev' | 'prod' = 'prod'): Map<string, typeof Alarm.infer> {
  const template = templateOf(stage);
  return new Map(
    [...resourcesOf(template, alarmType).keys()].map((id) => {
      const alarm = Alarm.assert(propertiesOf(template, alarmType, id));
      return [alarm.AlarmName.replace(`usher-${stage}-`, ''), alarm];
    }),
  );
}

test.each(['dev', 'prod'] as const)('the alarms of %s are the headings of the runbook, one by one', (stage) => {
  const runbook = readFileSync(new URL('../../docs/runbook.md', import.meta.url), 'utf8');
  const headings = [...runbook.matchAll(/^### (.+)$/gm)].map(([, heading]) => heading);
  expect([...alarms(stage).keys()]).toEqual(headings);
});

test('each runbook entry says what it means, where to look first and how to mend it', () => {
  const runbook = readFileSync(new URL('../../docs/runbook.md', import.meta.url), 'utf8');
  for (const entry of runbook.split(/^### /m).slice(1)) {
    const [name] = entry.split('\n');
    for (const part of ['Meaning', 'First look', 'Fix', 'Redrive']) expect(entry, name).toContain(`**${part}.**`);
  }
});

test('every alarm tells the topic when it begins and when it ends, and where to read on', () => {
  for (const [name, alarm] of alarms()) {
    expect(alarm, name).toMatchObject({
      AlarmActions: ['AlarmsTopic'],
      OKActions: ['AlarmsTopic'],
      AlarmDescription: `docs/runbook.md, heading ${name} · https://console.aws.amazon.com/cloudwatch/home?region=AWS::Region#dashboards/dashboard/usher-prod`,
    });
    expect([alarm.ComparisonOperator, alarm.TreatMissingData], name).toEqual(
      name === 'closer-idle' ? ['LessThanThreshold', 'breaching'] : ['GreaterThanThreshold', 'notBreaching'],
    );
  }
});

test('the costs count the alarms that there are', () => {
  const guide = readFileSync(new URL('../../docs/deploy.md', import.meta.url), 'utf8');
  expect(guide).toContain(`${alarms().size} alarms $${(alarms().size / 10).toFixed(2)}`);
});

test('an alarm links its heading where the address of the runbook is known', () => {
  const { app, stack } = createApp(contextOf('dev', { runbookUrl: 'https://wiki.example.com/usher/runbook' }));
  for (const alarm of app.node.findAll().filter((construct) => construct instanceof CfnAlarm)) {
    const name = String(alarm.alarmName).replace(`${stack.stackName}-`, '');
    expect(alarm.alarmDescription).toMatch(new RegExp(`^https://wiki.example.com/usher/runbook#${name} `));
  }
});

describe('the topic', () => {
  test('takes messages from the alarms of this account, by TLS only', () => {
    const [name = ''] = resourcesOf(prod(), 'AWS::SNS::TopicPolicy').keys();
    expect(propertiesOf(prod(), 'AWS::SNS::TopicPolicy', name).PolicyDocument).toMatchObject({
      Statement: expect.arrayContaining([
        expect.objectContaining({ Effect: 'Deny', Condition: { Bool: { 'aws:SecureTransport': 'false' } } }),
        expect.objectContaining({
          Effect: 'Allow',
          Action: 'sns:Publish',
          Principal: { Service: 'cloudwatch.amazonaws.com' },
          Condition: { StringEquals: { 'aws:SourceAccount': 'AWS::AccountId' } },
        }),
      ]),
    });
  });

  test('mails to the configured address', () => {
    const [name = ''] = resourcesOf(prod(), 'AWS::SNS::Subscription').keys();
    expect(propertiesOf(prod(), 'AWS::SNS::Subscription', name)).toMatchObject({
      Protocol: 'email',
      Endpoint: 'operators@example.com',
      TopicArn: 'AlarmsTopic',
    });
  });
});

describe('the metrics of the alarms', () => {
  test.each([
    ['bookings-oldest-message', 'BookingsQueueBookings', 'ApproximateAgeOfOldestMessage', 300],
    ['dispatch-oldest-message', 'DispatchQueueDispatch', 'ApproximateAgeOfOldestMessage', 1200],
    ['pacing-oldest-message', 'DispatchQueuePacing', 'ApproximateAgeOfOldestMessage', 1200],
    ['bookings-waiting', 'BookingsQueueBookings', 'ApproximateNumberOfMessagesVisible', 60_000],
    ['bookings-dead-letters', 'BookingsQueueBookingsDeadLetters', 'ApproximateNumberOfMessagesVisible', 0],
    ['quarantine-not-empty', 'BookingsQueueQuarantine', 'ApproximateNumberOfMessagesVisible', 0],
    ['dispatch-dead-letters', 'DispatchQueueDispatchDeadLetters', 'ApproximateNumberOfMessagesVisible', 0],
    ['pacing-dead-letters', 'DispatchQueuePacingDeadLetters', 'ApproximateNumberOfMessagesVisible', 0],
    ['events-dead-letters', 'EventsEventsDeadLetters', 'ApproximateNumberOfMessagesVisible', 0],
    ['report-oldest-message', 'ReportsFacts', 'ApproximateAgeOfOldestMessage', 300],
    ['report-dead-letters', 'ReportsFactsDeadLetters', 'ApproximateNumberOfMessagesVisible', 0],
  ])('%s: %s, %s above %d', (name, queue, metric, threshold) => {
    const alarm = alarms().get(name);
    expect(alarm).toMatchObject({
      Namespace: 'AWS/SQS',
      MetricName: metric,
      Threshold: threshold,
      Statistic: 'Maximum',
    });
    expect(alarm?.Dimensions?.map(({ Value }) => Value)).toEqual([queue]);
  });

  test.each([
    ['intake', 'IntakeFunction', 20_000],
    ['worker', 'WorkerFunction', 24_000],
    ['pacer', 'PacerFunction', 24_000],
    ['reporter', 'ReportsReporterFunction', 24_000],
  ])('%s: errors, throttles, and a p99 above 80 %% of the timeout', (name, fn, slowMs) => {
    const all = alarms();
    const of = (kind: string): unknown => {
      const { MetricName, Threshold, Dimensions, ExtendedStatistic = 'Sum' } = Alarm.assert(all.get(`${name}-${kind}`));
      return [MetricName, Threshold, ExtendedStatistic, Dimensions];
    };
    const dimensions = [{ Name: 'FunctionName', Value: fn }];
    expect(of('errors')).toEqual(['Errors', 0, 'Sum', dimensions]);
    expect(of('throttles')).toEqual(['Throttles', 0, 'Sum', dimensions]);
    expect(of('slow')).toEqual(['Duration', slowMs, 'p99', dimensions]);
  });

  test.each([
    ['closer-idle', 'Invocations', 'Sum', 1, 4],
    ['closer-errors', 'Errors', 'Sum', 0, 2],
    ['closer-slow', 'Duration', 'Maximum', 624_000, 1],
  ])('%s: %s of the quarters of an hour in which the closer runs', (name, metric, statistic, threshold, periods) => {
    expect(alarms().get(name)).toMatchObject({
      Namespace: 'AWS/Lambda',
      MetricName: metric,
      Statistic: statistic,
      Dimensions: [{ Name: 'FunctionName', Value: 'ReportsCloserFunction' }],
      Threshold: threshold,
      Period: 900,
      EvaluationPeriods: periods,
      DatapointsToAlarm: periods,
    });
  });

  test.each([
    ['api-client-errors', 'AWS/ApiGateway', '4xx', 1000],
    ['api-throttled', 'Usher/prod', 'RequestsThrottled', 100],
    ['intake-concurrency', 'AWS/Lambda', 'ConcurrentExecutions', 160],
    ['table-reads-consumed', 'AWS/DynamoDB', 'ConsumedReadCapacityUnits', 90_000],
  ])('%s: %s %s above %d', (name, namespace, metric, threshold) => {
    expect(alarms().get(name)).toMatchObject({ Namespace: namespace, MetricName: metric, Threshold: threshold });
  });

  test('the table and its indexes: reads and writes that were throttled', () => {
    const all = alarms();
    const of = (name: string): unknown => {
      const { MetricName, Dimensions = [] } = Alarm.assert(all.get(name));
      return [MetricName, ...Dimensions.map(({ Value }) => Value).toSorted()];
    };
    expect(of('table-reads-throttled')).toEqual(['ReadThrottleEvents', 'StorageTable']);
    expect(of('table-writes-throttled')).toEqual(['WriteThrottleEvents', 'StorageTable']);
    expect(of('index-writes-throttled')).toEqual(['WriteThrottleEvents', 'StorageTable', 'byAccount']);
    expect(of('day-index-writes-throttled')).toEqual(['WriteThrottleEvents', 'StorageTable', 'byDay']);
  });

  test.each([
    ['events-failed', 'EventFailures', 0],
    ['worker-sends-failed', 'SendFailures', 0],
    ['intake-sends-failed', 'QueueFailures', 0],
    ['intake-limiter-open', 'SubmissionLimiterFailedOpen', 0],
    ['quota-contention', 'ContentionRetries', 20],
  ])('%s: %s above %d', (name, metric, threshold) => {
    expect(alarms().get(name)).toMatchObject({
      Namespace: 'Usher/prod',
      MetricName: metric,
      Statistic: 'Sum',
      Threshold: threshold,
    });
  });
});
