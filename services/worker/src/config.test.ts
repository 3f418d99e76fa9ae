import { builtInPolicy } from '@usher/limiter-core/bulk';
import { InvalidConfigError } from '@usher/service';
import { expect, test } from 'vitest';
import { longestCallMs } from './clients.ts';
import { readConfig } from './config.ts';

const environment = {
  USHER_TABLE: 'usher',
  USHER_BUS: 'usher',
  USHER_DISPATCH_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/0/dispatch',
  USHER_PACING_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/0/pacing',
  USHER_QUARANTINE_QUEUE_URL: 'https://sqs.eu-central-1.amazonaws.com/0/quarantine',
};

test('the environment is read, and what is none of the worker is ignored', () => {
  expect(readConfig({ ...environment, PATH: '/bin' })).toEqual({
    tableName: 'usher',
    eventBusName: 'usher',
    dispatchQueueUrl: environment.USHER_DISPATCH_QUEUE_URL,
    pacingQueueUrl: environment.USHER_PACING_QUEUE_URL,
    quarantineQueueUrl: environment.USHER_QUARANTINE_QUEUE_URL,
    defaultPolicy: builtInPolicy,
    deadlineMarginMs: longestCallMs,
  });
});

test('the default policy is laid over the built-in one', () => {
  const { defaultPolicy } = readConfig({ ...environment, USHER_DEFAULT_POLICY: '{"dailyLimit":7}' });
  expect(defaultPolicy).toEqual({ ...builtInPolicy, dailyLimit: 7 });
});

test.each(Object.keys(environment))('a missing %s is named', (name) => {
  const read = (): unknown => readConfig({ ...environment, [name]: undefined });
  expect(read).toThrow(InvalidConfigError);
  expect(read).toThrow(name);
});

test.each([
  ['USHER_TABLE', ''],
  ['USHER_DISPATCH_QUEUE_URL', 'dispatch'],
  ['USHER_DEFAULT_POLICY', '{'],
  ['USHER_DEFAULT_POLICY', '{"dailyLimit":-1}'],
  ['USHER_DEFAULT_POLICY', '{"dailylimit":1}'],
  ['USHER_DEFAULT_POLICY', '{"dailyLimit":100000000}'],
])('a malformed %s (%s) is named', (name, value) => {
  const read = (): unknown => readConfig({ ...environment, [name]: value });
  expect(read).toThrow(InvalidConfigError);
  expect(read).toThrow(name);
});
