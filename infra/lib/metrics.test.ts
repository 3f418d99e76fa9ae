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
    ['QueueFailures', 'service=intake'],
    ['SubmissionLimiterFailedOpen', 'service=intake'],
    ['UnreadablePolicies', 'service=worker'],
    ['ContentionRetries', 'service=worker'],
    ['EventFailures', 'service=worker'],
    ['SendFailures', 'service=worker'],
  ]);
});
