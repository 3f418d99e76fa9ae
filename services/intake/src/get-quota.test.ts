import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { Problem, Quota } from '@usher/contracts';
import { keys } from '@usher/limiter-core/bulk/dynamodb';
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
  await put(intake, { ...keys.policy('acme'), policy: { dailyLimit: 900 } });
  const response = await intake.fetch('/v1/quota');
  expect(Quota.assert(await response.json())).toMatchObject({ limit: 900, used: 963, remaining: 0, rejected: 4 });
  expect(rateHeaders(response)).toEqual(['"daily";q=900;w=86400', '"daily";r=0;t=43200']);
});

test('the window in the headers is as long as the day really is', async () => {
  const intake = await startIntake();
  await put(intake, { ...keys.policy('acme'), policy: { timezone: 'Europe/Berlin' } });
  intake.clock.set(Date.parse('2026-03-29T12:00:00.000Z'));
  expect(rateHeaders(await intake.fetch('/v1/quota'))).toEqual(['"daily";q=1000;w=82800', '"daily";r=1000;t=36000']);
  intake.clock.set(Date.parse('2026-10-25T12:00:00.500Z'));
  expect(rateHeaders(await intake.fetch('/v1/quota'))).toEqual(['"daily";q=1000;w=90000', '"daily";r=1000;t=39600']);
});

test('a stored policy that breaks a rule is unavailable and no default, and the log names the account', async () => {
  const intake = await startIntake();
  await put(intake, { ...keys.policy('acme'), policy: { dailyLimit: -1 } });
  const response = await intake.fetch('/v1/quota');
  expect([response.status, Problem.assert(await response.json()).type]).toEqual([503, '/problems/unavailable']);
  const errors = intake.logged.filter(({ level }) => level === 'error');
  expect(errors).toMatchObject([
    {
      fields: {
        accountId: 'acme',
        error: { message: 'Account acme cannot be read', cause: { name: 'InvalidPolicyError' } },
      },
    },
  ]);
});

async function quotaOn(intake: TestIntake, date: string): Promise<{ answer: Quota; headers: (string | null)[] }> {
  const response = await intake.fetch(`/v1/quota?date=${date}`);
  expect(response.status).toBe(200);
  return { answer: Quota.assert(await response.json()), headers: rateHeaders(response) };
}

const kiwi = { ...keys.policy('acme'), policy: { timezone: 'Pacific/Auckland', dailyLimit: 900 } };

test('a past day tells its usage under the limit last decided by, in the local day of the account', async () => {
  const intake = await startIntake();
  await put(intake, kiwi);
  const counters = { 'used:2026-11-29': 7, 'rejected:2026-11-29': 3, 'limit:2026-11-29': 10, 'used:2026-11-30': 1 };
  await put(intake, { pk: 'account#acme', sk: 'quota', rev: 3, ...counters });
  const { answer, headers } = await quotaOn(intake, '2026-11-29');
  expect(answer).toMatchObject({ limit: 10, used: 7, remaining: 3, rejected: 3, policy: { dailyLimit: 900 } });
  expect(answer.window).toEqual({
    date: '2026-11-29',
    timezone: 'Pacific/Auckland',
    startsAt: '2026-11-28T11:00:00.000Z',
    resetsAt: '2026-11-29T11:00:00.000Z',
  });
  expect(headers).toEqual([null, null]);
});

test('the current day by its date is the quota as without', async () => {
  const intake = await startIntake();
  await put(intake, kiwi);
  const asked = await intake.fetch('/v1/quota');
  const today = { answer: Quota.assert(await asked.json()), headers: rateHeaders(asked) };
  expect(today.answer.window.date).toBe('2026-11-30');
  expect(await quotaOn(intake, '2026-11-30')).toEqual(today);
});

test('a day without usage tells zeros under the policy as it is now', async () => {
  const intake = await startIntake();
  const { answer } = await quotaOn(intake, '2026-11-05');
  expect(answer).toMatchObject({ limit: 1000, used: 0, remaining: 1000, rejected: 0 });
});

test('a day to come is not found, but for one that has counted before the account moved west', async () => {
  const intake = await startIntake();
  expect((await intake.fetch('/v1/quota?date=2026-11-30')).status).toBe(404);
  await put(intake, { pk: 'account#acme', sk: 'quota', rev: 1, 'used:2026-11-30': 5, 'limit:2026-11-30': 8 });
  expect((await quotaOn(intake, '2026-11-30')).answer).toMatchObject({ limit: 8, used: 5, remaining: 3 });
});

test('a day is told as long as its counters are kept for sure', async () => {
  const intake = await startIntake();
  await put(intake, { pk: 'account#acme', sk: 'quota', rev: 1, 'used:2026-10-29': 5, 'used:2026-10-30': 6 });
  expect((await quotaOn(intake, '2026-10-30')).answer.used).toBe(6);
  const response = await intake.fetch('/v1/quota?date=2026-10-29');
  expect([response.status, Problem.assert(await response.json()).detail]).toEqual([
    404,
    'date must be one of the 30 days before the current one: counts are kept no longer.',
  ]);
});

test('a malformed date is answered 400 and named', async () => {
  const intake = await startIntake();
  for (const date of ['', 'today', '2026-02-30', '2026-11-29T00:00:00.000Z', '2026-1-1']) {
    const response = await intake.fetch(`/v1/quota?date=${date}`);
    const { type, detail } = Problem.assert(await response.json());
    expect([date, response.status, type]).toEqual([date, 400, '/problems/invalid-query']);
    expect(detail).toContain('date must be');
  }
});
