import { expect, test } from 'vitest';
import { virtualClock } from '../clock.ts';
import type { Decision } from '../limiter/decision.ts';
import { StoreUnavailableError } from '../limiter/errors.ts';
import { createLimiter, type Limiter } from '../limiter/limiter.ts';
import { memory } from '../limiter/memory-store.ts';
import { fixedWindow } from '../limiter/strategies/window.ts';
import { refusalOf } from './refusal.ts';

const clock = virtualClock('2026-03-10T12:00:00Z');
const strategy = {
  minute: fixedWindow({ limit: 5, windowMs: 60_000 }),
  hour: fixedWindow({ limit: 9, windowMs: 3_600_000 }),
};

async function refused(decide: (limiter: Limiter) => Promise<Decision>) {
  const limiter = createLimiter({ strategy, clock });
  const decision = await decide(limiter);
  const { status, headers, body } = refusalOf(decision, limiter.headers(decision));
  return { status, retryAfter: headers['Retry-After'], body };
}

test('a limit that is used up is a 429 that tells the limit, the units and the wait', async () => {
  const told = await refused(async (limiter) => {
    await limiter.check('ada', 4);
    return limiter.check('ada', 3);
  });
  expect(told).toEqual({
    status: 429,
    retryAfter: '60',
    body: {
      type: 'https://iana.org/assignments/http-problem-types#quota-exceeded',
      title: 'Too Many Requests',
      status: 429,
      detail: 'The request needs 3 units, and 1 is free. Try again in 60 seconds.',
      'violated-policies': ['minute'],
    },
  });
});

test('a cost that never fits is a 400 without Retry-After: a 429 would be sent again', async () => {
  expect(await refused((limiter) => limiter.check('ada', 6))).toEqual({
    status: 400,
    retryAfter: undefined,
    body: {
      type: 'about:blank',
      title: 'Bad Request',
      status: 400,
      detail: 'The request needs 6 units, and no more than 5 are ever free.',
    },
  });
});

test('a block is a 429 while it has an end, else a 403', async () => {
  const blocked = (forMs: number) =>
    refused(async (limiter) => {
      await limiter.block('ada', forMs);
      return limiter.check('ada');
    });
  expect(await blocked(1000)).toMatchObject({
    status: 429,
    retryAfter: '1',
    body: { title: 'Too Many Requests', detail: 'The caller is blocked. Try again in 1 second.' },
  });
  expect(await blocked(Number.POSITIVE_INFINITY)).toMatchObject({
    status: 403,
    retryAfter: undefined,
    body: { title: 'Forbidden', detail: 'The caller is blocked.' },
  });
});

test('a store that cannot be asked is a 503 where the fail policy is closed: the caller did nothing wrong', async () => {
  const take = async () => {
    throw new StoreUnavailableError('gone');
  };
  const limiter = createLimiter({ strategy, clock, failPolicy: 'closed', store: Object.assign(memory(), { take }) });
  const decision = await limiter.check('ada');
  expect(refusalOf(decision, limiter.headers(decision))).toMatchObject({
    status: 503,
    headers: { 'Retry-After': '1' },
    body: { title: 'Service Unavailable', detail: 'The limit cannot be checked. Try again in 1 second.' },
  });
});

test('a key that the store throttles is a 429', async () => {
  const limiter = createLimiter({ strategy, clock });
  const decision = {
    ...(await limiter.check('ada')),
    allowed: false,
    reason: 'overloaded',
    retryAfterMs: 1000,
  } as const;
  expect(refusalOf({ ...decision, policies: [] }, {})).toMatchObject({ status: 429, body: { type: 'about:blank' } });
});

test('no refusal is kept by a cache, and each is a problem details object', async () => {
  const limiter = createLimiter({ strategy, clock });
  expect(refusalOf(await limiter.check('ada', 6), {}).headers).toEqual({
    'Content-Type': 'application/problem+json',
    'Cache-Control': 'no-store',
  });
});
