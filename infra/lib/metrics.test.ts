import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type } from 'arktype';
import { expect, test } from 'vitest';
import { workerMetrics } from './metrics.ts';
import { prod, propertiesOf, resourcesOf } from './testing/template.ts';

test('the metrics of the worker are those that it counts', () => {
  const source = fileURLToPath(new URL('../../services/worker/src', import.meta.url));
  const counted = readdirSync(source)
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
    .flatMap((file) => [...readFileSync(`${source}/${file}`, 'utf8').matchAll(/addMetric\('(\w+)'/g)])
    .map(([, name = '']) => name);
  expect([...new Set(counted)].toSorted()).toEqual(Object.values(workerMetrics).toSorted());
});

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
    ['ContentionRetries', 'service=worker'],
    ['EventFailures', 'service=worker'],
    ['SendFailures', 'service=worker'],
  ]);
});
