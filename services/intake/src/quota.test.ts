import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { Problem, Quota } from '@usher/contracts';
import { expect, test } from 'vitest';
import { tableName } from './testing/dynalite-table.ts';
import { startIntake, type TestIntake } from './testing/start-intake.ts';

async function put(intake: TestIntake, item: Record<string, unknown>): Promise<void> {
  await intake.table.client.send(new PutCommand({ TableName: tableName, Item: item }));
}

const rateHeaders = (response: Response) => [
  response.headers.get('ratelimit-policy'),
  response.headers.get('ratelimit'),
];

test('an account that never booked has its whole limit', async () => {
  const intake = await startIntake();
  const response = await intake.fetch('/v1/quota');
  expect(Quota.assert(await response.json())).toMatchObject({
    accountId: 'acme',
    limit: 1000,
    used: 0,
    remaining: 1000,
    rejected: 0,
    window: { date: '2026-11-29', timezone: 'UTC' },
    policy: { dailyLimit: 1000, mode: 'enforce' },
  });
  expect(rateHeaders(response)).toEqual(['"daily";q=1000;w=86400', '"daily";r=1000;t=43200']);
});

test('usage is that of the current window, under the policy as it is now', async () => {
  const intake = await startIntake();
  await put(intake, {
    pk: 'account#acme',
    sk: 'quota',
    rev: 3,
    'used:2026-11-28': 7,
    'used:2026-11-29': 963,
    'rejected:2026-11-29': 4,
  });
  await put(intake, { pk: 'account#acme', sk: 'policy', policy: { dailyLimit: 900 } });
  const response = await intake.fetch('/v1/quota');
  expect(Quota.assert(await response.json())).toMatchObject({ limit: 900, used: 963, remaining: 0, rejected: 4 });
  expect(rateHeaders(response)).toEqual(['"daily";q=900;w=86400', '"daily";r=0;t=43200']);
});

test('the window in the headers is as long as the day really is', async () => {
  const intake = await startIntake();
  await put(intake, { pk: 'account#acme', sk: 'policy', policy: { timezone: 'Europe/Berlin' } });
  intake.clock.set(Date.parse('2026-03-29T12:00:00.000Z'));
  expect(rateHeaders(await intake.fetch('/v1/quota'))).toEqual(['"daily";q=1000;w=82800', '"daily";r=1000;t=36000']);
  intake.clock.set(Date.parse('2026-10-25T12:00:00.500Z'));
  expect(rateHeaders(await intake.fetch('/v1/quota'))).toEqual(['"daily";q=1000;w=90000', '"daily";r=1000;t=39600']);
});

test('a stored policy that breaks a rule is an error of ours and no default', async () => {
  const intake = await startIntake();
  await put(intake, { pk: 'account#acme', sk: 'policy', policy: { dailyLimit: -1 } });
  const response = await intake.fetch('/v1/quota');
  expect([response.status, Problem.assert(await response.json()).type]).toEqual([500, '/problems/internal']);
  const errors = intake.logged.filter(({ level }) => level === 'error');
  expect(errors).toMatchObject([{ fields: { accountId: 'acme', error: 'InvalidPolicyError' } }]);
});
