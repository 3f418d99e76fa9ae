import { Problem } from '@usher/contracts';
import { expect, test } from 'vitest';
import { takeAll } from './testing/scripted-queue.ts';
import { rows, startIntake } from './testing/start-intake.ts';

const tenChunks = { reservations: rows(1000) };
const small = { submission: { burst: 20, refillPerSecond: 2 } };

test('chunks beyond the burst are answered 429 with all that tells when to come back', async () => {
  const intake = await startIntake(small);
  expect((await intake.submit(tenChunks, { key: 'a' })).status).toBe(202);
  const second = await intake.submit(tenChunks, { key: 'b' });
  expect(second.status).toBe(202);
  expect(second.headers.get('x-ratelimit-remaining')).toBe('0');

  const before = await intake.table.items();
  const third = await intake.submit(tenChunks, { key: 'c' });
  expect(third.status).toBe(429);
  expect(Problem.assert(await third.json())).toMatchObject({
    type: '/problems/submission-limit-exceeded',
    detail: 'This booking needs 10 units and 0 are free; a unit is a chunk of up to 100 rows and 200 KiB.',
  });
  const names = ['retry-after', 'ratelimit', 'ratelimit-policy', 'x-ratelimit-limit', 'x-ratelimit-remaining'];
  expect(names.map((name) => third.headers.get(name))).toEqual([
    '5',
    '"submission";r=0;t=10',
    '"submission";q=20;w=10',
    '20',
    '0',
  ]);
  expect(third.headers.get('x-ratelimit-reset')).toBe(String(intake.clock() / 1000 + 10));
  expect(await intake.table.items()).toEqual(before);
  expect(intake.queue.chunks().length).toBe(20);

  intake.clock.advance(5000);
  expect((await intake.submit(tenChunks, { key: 'c' })).status).toBe(202);
});

test('one account being limited does not touch another', async () => {
  const intake = await startIntake(small);
  await intake.submit({ reservations: rows(2000) });
  expect((await intake.submit(tenChunks, { account: 'other' })).status).toBe(202);
});

test('a repeat is not charged, be it of an accepted booking or of one that could not be queued', async () => {
  const intake = await startIntake(small);
  intake.queue.answer(() => new Error('down'));
  expect((await intake.submit({ reservations: rows(2000) })).status).toBe(503);
  intake.queue.answer(takeAll);
  expect((await intake.submit({ reservations: rows(2000) })).status).toBe(202);
  expect((await intake.submit({ reservations: rows(2000) })).status).toBe(202);
  expect((await intake.submit(tenChunks, { key: 'new' })).status).toBe(429);
});

test('a booking of more chunks than the burst waits for a full bucket and is not refused for good', async () => {
  const intake = await startIntake(small);
  const huge = { reservations: rows(3000) };
  expect((await intake.submit(huge, { key: 'a' })).status).toBe(202);
  const second = await intake.submit(huge, { key: 'b' });
  expect(second.status).toBe(429);
  expect(Problem.assert(await second.json()).detail).toContain('needs all 20 units (it has 30 chunks) and 0 are free;');
  intake.clock.advance(10_000);
  expect((await intake.submit(huge, { key: 'b' })).status).toBe(202);
});

test('case 24: where its store fails the limiter fails open, logged and counted', async () => {
  const intake = await startIntake();
  intake.fault((_, input) => (JSON.stringify(input).includes('rate#submission:acme') ? 'refused' : undefined));
  const response = await intake.submit(tenChunks);
  expect(response.status).toBe(202);
  expect(response.headers.has('ratelimit')).toBe(false);
  expect(intake.counts.get('SubmissionLimiterFailedOpen')).toBe(1);
  expect(intake.logged).toContainEqual(
    expect.objectContaining({ level: 'warn', message: 'submission limiter failed open' }),
  );
});
