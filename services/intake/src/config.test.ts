import { builtInPolicy } from '@usher/limiter-core/bulk';
import { InvalidConfigError } from '@usher/service';
import { expect, test } from 'vitest';
import { readConfig } from './config.ts';

const needed = { USHER_TABLE: 'usher', USHER_BOOKINGS_QUEUE_URL: 'https://sqs.example/1/bookings.fifo' };

test('a variable that is absent has its default', () => {
  expect(readConfig({ ...needed, PATH: '/bin' })).toEqual({
    tableName: 'usher',
    bookingsQueueUrl: 'https://sqs.example/1/bookings.fifo',
    defaultPolicy: builtInPolicy,
    accountClaim: 'sub',
    submission: { burst: 200, refillPerSecond: 20 },
  });
});

test('all of it can be configured', () => {
  const config = readConfig({
    ...needed,
    USHER_DEFAULT_POLICY: '{"dailyLimit":5,"timezone":"Asia/Tokyo"}',
    USHER_ACCOUNT_CLAIM: 'partner',
    USHER_SUBMISSION_BURST: '10',
    USHER_SUBMISSION_REFILL: '0.5',
  });
  expect(config).toMatchObject({
    defaultPolicy: { dailyLimit: 5, timezone: 'Asia/Tokyo', burst: 20 },
    accountClaim: 'partner',
    submission: { burst: 10, refillPerSecond: 0.5 },
  });
});

test.for([
  ['USHER_TABLE', undefined],
  ['USHER_TABLE', ''],
  ['USHER_BOOKINGS_QUEUE_URL', 'bookings'],
  ['USHER_DEFAULT_POLICY', '{'],
  ['USHER_DEFAULT_POLICY', '{"dailyLimit":-1}'],
  ['USHER_DEFAULT_POLICY', '{"limit":1}'],
  ['USHER_ACCOUNT_CLAIM', ''],
  ['USHER_SUBMISSION_BURST', '0'],
  ['USHER_SUBMISSION_BURST', '1.5'],
  ['USHER_SUBMISSION_BURST', 'many'],
  ['USHER_SUBMISSION_REFILL', '0'],
] as const)('%s of %s is refused by its name', ([name, value]) => {
  const read = () => readConfig({ ...needed, [name]: value });
  expect(read).toThrow(InvalidConfigError);
  expect(read).toThrow(name);
});
