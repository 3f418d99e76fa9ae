import middy from '@middy/core';
import { expect, test } from 'vitest';
import { virtualClock } from './clock.ts';
import { httpApiEvent } from './http/testing/events.ts';
import { createLimiter } from './limiter/limiter.ts';
import { fixedWindow } from './limiter/strategies/window.ts';
import { addressKey, rateLimit } from './middy.ts';

const caller = addressKey('203.0.113.7');
const newLimiter = () =>
  createLimiter({
    strategy: fixedWindow({ limit: 2, windowMs: 60_000 }),
    clock: virtualClock('2026-03-10T12:00:00Z'),
  });
type Event = ReturnType<typeof httpApiEvent>;

/** Calls a middy handler as Lambda does. */
async function invoke(handler: unknown): Promise<unknown> {
  if (typeof handler !== 'function') throw new TypeError('a handler is a function');
  return handler(httpApiEvent(), { getRemainingTimeInMillis: () => 1000 });
}

test('an allowed request reaches the handler, and its response tells the limits', async () => {
  const handler = middy()
    .use(rateLimit<Event>(newLimiter()))
    .handler(async ({ rawPath }: Event) => ({ statusCode: 200, body: rawPath }));
  expect(await invoke(handler)).toMatchObject({
    statusCode: 200,
    headers: { RateLimit: '"default";r=1;t=60' },
    body: '/things',
  });
});

test('a refused request reaches neither the handler nor the middlewares after the limiter', async () => {
  const calls: string[] = [];
  const handler = middy()
    .use(rateLimit<Event>(newLimiter()))
    .use({ before: () => void calls.push('before'), after: () => void calls.push('after') })
    .handler(async () => ({ statusCode: 200 }));
  for (let i = 0; i < 2; i++) await invoke(handler);
  expect(await invoke(handler)).toMatchObject({ statusCode: 429, headers: { 'Retry-After': '60' } });
  expect(calls).toEqual(['before', 'after', 'before', 'after']);
});

test('a response that does not count gives its cost back', async () => {
  const limiter = newLimiter();
  const handler = middy()
    .use(rateLimit<Event>(limiter, { countIf: ({ statusCode }) => statusCode !== 304 }))
    .handler(async () => ({ statusCode: 304 }));
  for (let i = 0; i < 5; i++) expect(await invoke(handler)).toMatchObject({ statusCode: 304 });
  expect((await limiter.peek(caller)).remaining).toBe(2);
});

test('a handler that throws counts as one that answers 500, once, and its error goes on', async () => {
  const limiter = newLimiter();
  const responses: unknown[] = [];
  const handler = middy()
    .use(rateLimit<Event>(limiter, { countIf: (response) => responses.push(response) < 0 }))
    .handler(async () => {
      throw new Error('broken');
    });
  await expect(invoke(handler)).rejects.toThrow('broken');
  expect(responses).toEqual([{ statusCode: 500 }]);
  expect((await limiter.peek(caller)).remaining).toBe(2);
});

test('the response that another middleware makes of an error tells the limits', async () => {
  const handler = middy()
    .use(rateLimit<Event>(newLimiter()))
    .use({
      onError: (request) => {
        request.response = { statusCode: 404 };
      },
    })
    .handler(async () => {
      throw new Error('not found');
    });
  expect(await invoke(handler)).toEqual({
    statusCode: 404,
    headers: { 'RateLimit-Policy': '"default";q=2;w=60', RateLimit: '"default";r=1;t=60' },
  });
});

test('a request is settled once, also where a middleware fails after it', async () => {
  const responses: unknown[] = [];
  const handler = middy()
    .use({
      after: () => {
        throw new Error('late');
      },
    })
    .use(rateLimit<Event>(newLimiter(), { countIf: (response) => responses.push(response) > 0 }))
    .handler(async () => ({ statusCode: 200 }));
  await expect(invoke(handler)).rejects.toThrow('late');
  expect(responses).toEqual([{ statusCode: 200 }]);
});
