import { builtInPolicy } from '@usher/limiter-core/bulk';
import { InvalidConfigError } from '@usher/service';
import { expect, test } from 'vitest';
import { readConfig } from './config.ts';

const urls = ['https://sqs.eu-central-1.amazonaws.com/0/one', 'https://sqs.eu-central-1.amazonaws.com/0/two'];
const environment = {
  USHER_TABLE: 'usher',
  USHER_REPORT_TABLE: 'usher-reports',
  USHER_REPORT_BUCKET: 'reports',
  USHER_BUS: 'usher',
  USHER_DEAD_LETTER_QUEUE_URLS: urls.join(','),
};

test('the environment is read, and what is none of the report is ignored', () => {
  expect(readConfig({ ...environment, PATH: '/bin' })).toEqual({
    tableName: 'usher',
    reportTableName: 'usher-reports',
    bucketName: 'reports',
    eventBusName: 'usher',
    deadLetterQueueUrls: urls,
    defaultPolicy: builtInPolicy,
  });
});

test.each(Object.keys(environment))('a missing %s is named', (name) => {
  const read = (): unknown => readConfig({ ...environment, [name]: undefined });
  expect(read).toThrow(InvalidConfigError);
  expect(read).toThrow(name);
});

test.each([
  ['USHER_REPORT_BUCKET', ''],
  ['USHER_DEAD_LETTER_QUEUE_URLS', 'one,two'],
  ['USHER_DEFAULT_POLICY', '{"dailyLimit":-1}'],
])('a malformed %s (%s) is named', (name, value) => {
  const read = (): unknown => readConfig({ ...environment, [name]: value });
  expect(read).toThrow(InvalidConfigError);
  expect(read).toThrow(name);
});
