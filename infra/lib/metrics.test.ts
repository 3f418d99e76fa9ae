import { intakeMetrics } from '@usher/intake';
import { workerMetrics } from '@usher/worker';
import { type } from 'arktype';
import { expect, test } from 'vitest';
import { prod, propertiesOf, resourcesOf } from './testing/template.ts';

const OwnAlarm = type({
  Namespace: "'Usher/prod'",
  MetricName: 'string',
  Dimensions: type({ Name: 'string', Value: 'string' }).array(),
});

test('alarms watch metrics in the namespace and under the service name that the functions use', () => {
  const own = [...resourcesOf(prod(), 'AWS::CloudWatch::Alarm').keys()]
    .map((name) => OwnAlarm(propertiesOf(prod(), 'AWS::CloudWatch::Alarm', name)))
    .flatMap((alarm) => (alarm instanceof type.errors ? [] : [alarm]))
    .map(({ MetricName, Dimensions }) => [MetricName, ...Dimensions.map(({ Name, Value }) => `${Name}=${Value}`)]);
  expect(own).toEqual([
    [intakeMetrics.queueFailures, 'service=intake'],
    [intakeMetrics.unreadableItems, 'service=intake'],
    [intakeMetrics.limiterFailedOpen, 'service=intake'],
    [workerMetrics.unreadablePolicies, 'service=worker'],
    [workerMetrics.wrongClocks, 'service=worker'],
    [workerMetrics.contentionRetries, 'service=worker'],
    [workerMetrics.eventFailures, 'service=worker'],
    [workerMetrics.sendFailures, 'service=worker'],
  ]);
});
