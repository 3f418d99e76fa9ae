import { Problem } from '@usher/contracts';
import { expect, test } from 'vitest';
import { refusalCost, repeatCost } from './request-limits.ts';
import { rows, startIntake, type TestIntake } from './testing/start-intake.ts';

const small = { requests: { reads: { burst: 3, refillPerSecond: 1 }, refusals: { burst: 4, refillPerSecond: 1 } } };
const booking = { reservations: rows(1) };

async function told(answer: Promise<Response>): Promise<[number, string | undefined, string | null]> {
  const response = await answer;
  const problem = response.status < 400 ? undefined : Problem.assert(await response.json()).type;
  return [response.status, problem, response.headers.get('retry-after')];
}

const limited = (seconds: string): [number, string, string] => [429, '/problems/request-limit-exceeded', seconds];

/** Sends a body that says when it is read. */
async function isRead(intake: TestIntake): Promise<boolean> {
  let read = false;
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        read = true;
        controller.enqueue(new TextEncoder().encode('{}'));
        controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const headers = { 'content-type': 'application/json', 'idempotency-key': 'k' };
  await intake.fetch('/v1/bookings', { method: 'POST', headers, body, ...{ duplex: 'half' } });
  return read;
}

test('an account that reads too often waits, and no other does', async () => {
  const intake = await startIntake(small);
  for (const path of ['/v1/quota', '/v1/bookings', '/v1/nothing']) await intake.fetch(path);
  intake.requests.length = 0;
  for (const path of ['/v1/quota', '/v1/bookings', `/v1/bookings/bk_${'a'.repeat(35)}`]) {
    expect(await told(intake.fetch(path))).toEqual(limited('1'));
  }
  expect(intake.requests).toEqual([]);
  expect(intake.counts.get('RequestsLimited')).toBe(3);
  expect((await intake.fetch('/v1/quota', { account: 'other' })).status).toBe(200);
  expect((await intake.fetch('/health')).status).toBe(200);
  expect((await intake.submit(booking)).status).toBe(202);
  intake.clock.advance(1000);
  expect((await intake.fetch('/v1/quota')).status).toBe(200);
});

test('an account whose submissions are refused waits before the next body is read; its reads go on', async () => {
  const intake = await startIntake(small);
  expect(await isRead(intake)).toBe(true);
  expect((await intake.submit('{', { key: 'a' })).status).toBe(400);
  expect(await isRead(intake)).toBe(false);
  expect(await told(intake.submit(booking))).toEqual(limited('1'));
  expect((await intake.submit(booking, { account: 'other' })).status).toBe(202);
  expect((await intake.fetch('/v1/quota')).status).toBe(200);
  intake.clock.advance(2000);
  expect((await intake.submit(booking)).status).toBe(202);
});

test('a refusal costs by the bytes that had to be parsed, and one that is not parsed costs little', async () => {
  expect([0, 1, 65_536, 65_537, 4 * 1024 * 1024].map((bytes) => refusalCost(bytes))).toEqual([1, 2, 2, 3, 65]);
  expect([0, 1, 499, 500, 30_000].map((faults) => refusalCost(1, faults))).toEqual([2, 2, 2, 3, 62]);
  const intake = await startIntake(small);
  const large = JSON.stringify({ reservations: [], x: 'x'.repeat(70_000) });
  for (const key of [null, 'a,b']) expect((await intake.submit(large, { key })).status).toBe(400);
  expect((await intake.submit(large, { headers: { 'content-type': 'text/plain' } })).status).toBe(415);
  // One unit is left, and the next body of this size needs three: it is not parsed.
  expect(await told(intake.submit(large))).toEqual(limited('2'));
  intake.clock.advance(2000);
  expect((await intake.submit(large)).status).toBe(422);
  expect(await told(intake.submit(booking))).toEqual(limited('1'));
});

test('a submission that is accepted, or asked to come back, costs nothing', async () => {
  const intake = await startIntake(small);
  for (let n = 0; n < 10; n++) expect((await intake.submit(booking, { key: `k${n}` })).status).toBe(202);
  for (let n = 0; n < 10; n++) expect((await intake.submit(booking, { key: 'k0' })).status).toBe(202);
  intake.queue.answer(() => new Error('down'));
  for (let n = 0; n < 10; n++) expect((await intake.submit(booking, { key: 'new' })).status).toBe(503);
});

test('faults cost their sender, not bytes alone: rows that are wrong throughout are dear to tell apart', async () => {
  const intake = await startIntake({ requests: { ...small.requests, refusals: { burst: 10, refillPerSecond: 1 } } });
  const wrong = { reservations: Array.from({ length: 2000 }, () => ({ id: 1, cost: 0 })) };
  expect((await intake.submit(wrong)).status).toBe(422);
  expect(await told(intake.submit(booking))).toEqual(limited('1'));
});

test('small repeats are free, large ones cost what parsing them takes', async () => {
  expect([0, 65_535, 65_536, 4 * 1024 * 1024].map(repeatCost)).toEqual([0, 0, 1, 64]);
  const intake = await startIntake({ requests: { ...small.requests, refusals: { burst: 10, refillPerSecond: 1 } } });
  for (let i = 0; i < 30; i++) expect((await intake.submit(booking, { key: 'small' })).status).toBe(202);
  const large = { reservations: rows(100).map((row) => ({ ...row, details: { x: 'x'.repeat(4000) } })) };
  expect((await intake.submit(large, { key: 'large' })).status).toBe(202);
  expect((await intake.submit(large, { key: 'large' })).headers.get('idempotency-replayed')).toBe('true');
  expect(await told(intake.submit(large, { key: 'large' }))).toEqual(limited('4'));
  expect((await intake.submit(booking, { key: 'small' })).headers.get('idempotency-replayed')).toBe('true');
  intake.clock.advance(4000);
  expect((await intake.submit(large, { key: 'large' })).headers.get('idempotency-replayed')).toBe('true');
});
