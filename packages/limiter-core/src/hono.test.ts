import { once } from 'node:events';
import { serve } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { handle } from 'hono/aws-lambda';
import { cors } from 'hono/cors';
import { jwt, sign } from 'hono/jwt';
import { describe, expect, test } from 'vitest';
import { virtualClock } from './clock.ts';
import { addressKey, rateLimit, tokenKey } from './hono.ts';
import { httpApiEvent } from './http/testing/events.ts';
import { createLimiter } from './limiter/limiter.ts';
import { fixedWindow } from './limiter/strategies/window.ts';

const ada = { iss: 'https://issuer.example', sub: 'ada' };
const newLimiter = (limit = 2) =>
  createLimiter({ strategy: fixedWindow({ limit, windowMs: 60_000 }), clock: virtualClock('2026-03-10T12:00:00Z') });
const from = (remoteAddress: string) => ({ incoming: { socket: { remoteAddress } } });

describe('behind Hono', () => {
  test('a request is let in with headers until the limit is used up, and then refused', async () => {
    const app = new Hono().use(cors(), rateLimit(newLimiter())).get('/', (c) => c.text('hello'));
    const first = await app.request('/', {}, from('192.0.2.7'));
    expect(first.status).toBe(200);
    expect(await first.text()).toBe('hello');
    expect(first.headers.get('ratelimit')).toBe('"default";r=1;t=60');
    await app.request('/', {}, from('192.0.2.7'));
    const refused = await app.request('/', {}, from('192.0.2.7'));
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
    expect(refused.headers.get('access-control-allow-origin')).toBe('*');
    expect(await refused.json()).toMatchObject({ status: 429, 'violated-policies': ['default'] });
    expect((await app.request('/', {}, from('192.0.2.8'))).status).toBe(200);
  });

  test('who is verified by the jwt middleware is counted by issuer and subject, a forged token by nothing', async () => {
    const limiter = newLimiter();
    const secret = 'a secret of this test';
    const app = new Hono().use(jwt({ secret, alg: 'HS256' }), rateLimit(limiter)).get('/', (c) => c.text('hello'));
    const call = async (key: string) =>
      app.request('/', { headers: { Authorization: `Bearer ${await sign(ada, key, 'HS256')}` } }, from('192.0.2.7'));
    expect((await call(secret)).status).toBe(200);
    expect((await call('another')).status).toBe(401);
    expect((await limiter.peek(tokenKey(ada))).remaining).toBe(1);
    expect((await limiter.peek(addressKey('192.0.2.7'))).remaining).toBe(2);
  });

  test('the address is that of the connection, on Node', async () => {
    const limiter = newLimiter();
    const app = new Hono().use(rateLimit(limiter)).get('/', (c) => c.text('hello'));
    const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' });
    await once(server, 'listening');
    const address = server.address();
    if (typeof address !== 'object' || address === null) throw new Error('it listens on a port');
    await fetch(`http://127.0.0.1:${address.port}`, { headers: { 'X-Forwarded-For': '6.6.6.6' } });
    await new Promise((resolve) => server.close(resolve));
    expect((await limiter.peek(addressKey('127.0.0.1'))).remaining).toBe(1);
  });

  test('the caller is who API Gateway tells, on Lambda', async () => {
    const limiter = newLimiter();
    const handler = handle(new Hono().use(rateLimit(limiter)).get('/things', (c) => c.text('hello')));
    const call = (event: object) => handler(event as Parameters<typeof handler>[0]);
    expect(await call(httpApiEvent({ claims: ada }))).toMatchObject({
      statusCode: 200,
      headers: { ratelimit: '"default";r=1;t=60' },
    });
    await call(httpApiEvent({ sourceIp: '192.0.2.7' }));
    expect((await limiter.peek(tokenKey(ada))).remaining).toBe(1);
    expect((await limiter.peek(addressKey('192.0.2.7'))).remaining).toBe(1);
  });

  test('a runtime that nothing is known of gives the address by an option; without it all share a key', async () => {
    const limiter = newLimiter();
    const app = new Hono()
      .use('/known', rateLimit(limiter, { address: (c) => c.req.header('true-client-ip') }))
      .use('/unknown', rateLimit(limiter))
      .get('*', (c) => c.text('hello'));
    await app.request('/known', { headers: { 'True-Client-IP': '192.0.2.7' } });
    await app.request('/unknown', { headers: { 'X-Forwarded-For': '6.6.6.6' } });
    expect((await limiter.peek(addressKey('192.0.2.7'))).remaining).toBe(1);
    expect((await limiter.peek('address:unknown')).remaining).toBe(1);
  });

  test('a response that does not count gives its cost back, also that of a handler that throws', async () => {
    const limiter = newLimiter();
    const app = new Hono()
      .use(rateLimit(limiter, { countIf: ({ status }) => status < 500 }))
      .get('/', () => {
        throw new Error('broken');
      })
      .onError((_error, c) => c.text('sorry', 500));
    for (let i = 0; i < 5; i++) expect((await app.request('/', {}, from('192.0.2.7'))).status).toBe(500);
    expect((await limiter.peek(addressKey('192.0.2.7'))).remaining).toBe(2);
  });

  test('what is thrown and is no error gives its cost back as well', async () => {
    const limiter = newLimiter();
    const app = new Hono().use(rateLimit(limiter, { countIf: ({ status }) => status < 500 })).get('/', () => {
      throw 'broken';
    });
    await expect(async () => app.request('/', {}, from('192.0.2.7'))).rejects.toBe('broken');
    expect((await limiter.peek(addressKey('192.0.2.7'))).remaining).toBe(2);
  });

  test('a refusal has the headers that middlewares before have told, and its own where they tell another', async () => {
    const app = new Hono()
      .use(async (c, next) => {
        c.header('X-Request-Id', 'r-1');
        c.header('Set-Cookie', 'a=1', { append: true });
        c.header('Set-Cookie', 'b=2', { append: true });
        c.header('Cache-Control', 'max-age=60');
        await next();
      })
      .use(rateLimit(newLimiter(1)))
      .get('/', (c) => c.text('hello'));
    await app.request('/', {}, from('192.0.2.7'));
    const { status, headers } = await app.request('/', {}, from('192.0.2.7'));
    expect(status).toBe(429);
    expect(headers.get('x-request-id')).toBe('r-1');
    expect(headers.getSetCookie()).toEqual(['a=1', 'b=2']);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('content-type')).toBe('application/problem+json');
  });

  test('of two limiters the one nearer to the handler tells its limits', async () => {
    const app = new Hono().use(rateLimit(newLimiter(100)), rateLimit(newLimiter(7))).get('/', (c) => c.text('hello'));
    const response = await app.request('/', {}, from('192.0.2.7'));
    expect(response.headers.get('ratelimit-policy')).toBe('"default";q=7;w=60');
  });

  test("options read Hono's context, and its variables where they name its type", async () => {
    const limiter = newLimiter(10);
    type Weighed = { Variables: { weight: number } };
    const app = new Hono<Weighed>()
      .use(async (c, next) => {
        c.set('weight', 4);
        await next();
      })
      .get(
        '/:tenant',
        rateLimit(limiter, {
          skip: (c) => c.req.param('tenant') === undefined,
          key: (c) => c.req.param('tenant'),
          cost: (c: Context<Weighed>) => c.get('weight'),
        }),
        (c) => c.text('hello'),
      );
    await app.request('/acme', {}, from('192.0.2.7'));
    expect((await limiter.peek('acme')).remaining).toBe(6);
  });
});
