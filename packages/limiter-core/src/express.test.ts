import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import express, { type Request } from 'express';
import { afterEach, describe, expect, test } from 'vitest';
import { virtualClock } from './clock.ts';
import { addressKey, rateLimit, tokenKey } from './express.ts';
import { createLimiter } from './limiter/limiter.ts';
import { memory } from './limiter/memory-store.ts';
import { fixedWindow } from './limiter/strategies/window.ts';

const ada = { iss: 'https://issuer.example', sub: 'ada' };
const local = addressKey('127.0.0.1');
const newLimiter = (limit = 2) =>
  createLimiter({ strategy: fixedWindow({ limit, windowMs: 60_000 }), clock: virtualClock('2026-03-10T12:00:00Z') });

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** Serves on a free port of 127.0.0.1, and gives its address. */
async function serve(listener: Parameters<typeof createServer>[1]): Promise<string> {
  const server = createServer(listener);
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (typeof address !== 'object' || address === null) throw new Error('it listens on a port');
  return `http://127.0.0.1:${address.port}`;
}

/** The headers of a request that has each given line as it is, repeated names included. */
async function statusWith(url: string, lines: readonly string[]): Promise<number | undefined> {
  const sent = request(url, { headers: ['Host', 'localhost', ...lines] as never });
  sent.end();
  const [response] = await once(sent, 'response');
  response.resume();
  return response.statusCode;
}

describe('behind Express', () => {
  test('a request is let in with headers until the limit is used up, and then refused', async () => {
    const app = express();
    app.use(rateLimit(newLimiter()));
    app.get('/', (_req, res) => {
      res.send('hello');
    });
    const url = await serve(app);
    const first = await fetch(url);
    expect(first.status).toBe(200);
    expect(first.headers.get('ratelimit')).toBe('"default";r=1;t=60');
    await fetch(url);
    const refused = await fetch(url);
    expect(refused.status).toBe(429);
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(refused.headers.get('content-type')).toBe('application/problem+json');
    expect(refused.headers.get('cache-control')).toBe('no-store');
    expect(await refused.json()).toMatchObject({ status: 429, 'violated-policies': ['default'] });
  });

  test('who is verified by a middleware before is counted by issuer and subject', async () => {
    const limiter = newLimiter();
    const app = express();
    app.use((req, _res, next) => {
      Object.assign(req, { auth: ada });
      next();
    });
    app.use(rateLimit(limiter), (_req, res) => res.end());
    await fetch(await serve(app));
    expect((await limiter.peek(tokenKey(ada))).remaining).toBe(1);
    expect((await limiter.peek(local)).remaining).toBe(2);
  });

  test('no header names the caller, however it is spelt or often it is sent', async () => {
    const limiter = newLimiter(100);
    const app = express();
    app.set('trust proxy', true);
    app.use(rateLimit(limiter), (_req, res) => res.end());
    const url = await serve(app);
    const headers = [
      ['X-Forwarded-For', '6.6.6.6'],
      ['X-Forwarded-For', '6.6.6.6', 'X-Forwarded-For', '7.7.7.7'],
      ['x-real-ip', '6.6.6.6', 'Forwarded', 'for=6.6.6.6', 'X-Client-IP', '6.6.6.6', 'CF-Connecting-IP', '6.6.6.6'],
      ['X-Forwarded-For', '6.6.6.6,'.repeat(1200)],
      ['auth', JSON.stringify(ada)],
    ];
    for (const lines of headers) expect(await statusWith(url, lines)).toBe(200);
    expect((await limiter.peek(local)).remaining).toBe(100 - headers.length);
  });

  test('a trusted proxy names the caller, over several lines of the header', async () => {
    const limiter = newLimiter();
    const app = express();
    app.use(rateLimit(limiter, { trustProxies: ['127.0.0.0/8', '10.0.0.0/8'] }), (_req, res) => res.end());
    const url = await serve(app);
    await statusWith(url, ['X-Forwarded-For', '6.6.6.6, 192.0.2.7', 'X-Forwarded-For', '10.0.0.1']);
    expect((await limiter.peek(addressKey('192.0.2.7'))).remaining).toBe(1);
  });

  test('a response that does not count gives its cost back when it is finished', async () => {
    const given: number[] = [];
    const store = memory();
    const giveBack = store.giveBack.bind(store);
    const settled = new Promise<void>((resolve) => {
      store.giveBack = async (...args) => {
        await giveBack(...args);
        given.push(args[1]);
        resolve();
      };
    });
    const limiter = createLimiter({ strategy: fixedWindow({ limit: 2, windowMs: 60_000 }), store });
    const app = express();
    app.use(rateLimit(limiter, { countIf: ({ statusCode }) => statusCode < 500 }));
    app.get('/', () => {
      throw new Error('broken');
    });
    app.use((_error: Error, _req: Request, res: express.Response, _next: express.NextFunction) => {
      res.status(500).end();
    });
    expect((await fetch(await serve(app))).status).toBe(500);
    await settled;
    expect(given).toEqual([1]);
  });

  test("options read Express's own request", async () => {
    const limiter = newLimiter(10);
    const app = express();
    app.use(
      '/:tenant',
      rateLimit(limiter, {
        key: (req: Request<{ tenant: string }>) => req.params.tenant,
        cost: (req) => Number(req.query.cost ?? 1),
      }),
      (_req, res) => {
        res.end();
      },
    );
    await fetch(`${await serve(app)}/acme?cost=4`);
    expect((await limiter.peek('acme')).remaining).toBe(6);
  });

  test('an error of the limiter goes to the handler of errors', async () => {
    const app = express();
    app.use(rateLimit(newLimiter(), { cost: Number.NaN }));
    app.use((error: Error, _req: Request, res: express.Response, _next: express.NextFunction) => {
      res.status(500).send(error.message);
    });
    const response = await fetch(await serve(app));
    expect(response.status).toBe(500);
    expect(await response.text()).toContain('cost must be');
  });
});

describe('behind plain Node', () => {
  test('the same middleware is called with next', async () => {
    const limit = rateLimit(newLimiter(1));
    const url = await serve((req, res) => {
      limit(req, res, () => {
        res.end('hello');
      });
    });
    expect(await (await fetch(url)).text()).toBe('hello');
    const refused = await fetch(url, { method: 'HEAD' });
    expect(refused.status).toBe(429);
    expect(await refused.text()).toBe('');
  });

  test('an answer that was sent while the limiter was asked stands, and nothing fails', async () => {
    const limit = rateLimit(newLimiter(1));
    const nexts: unknown[][] = [];
    const url = await serve((req, res) => {
      limit(req, res, (...args) => nexts.push(args));
      res.end('too late');
    });
    for (let i = 0; i < 2; i++) expect(await (await fetch(url)).text()).toBe('too late');
    expect(nexts).toEqual([[]]);
  });

  test('a header that cannot be sent goes to next as an error', async () => {
    const limit = rateLimit(newLimiter(1), {
      cost: 2,
      onRefused: (refusal) => ({ ...refusal, headers: { 'X-Reason': 'two\nlines' } }),
    });
    const url = await serve((req, res) => {
      limit(req, res, (error) => {
        res.end(String(error));
      });
    });
    expect(await (await fetch(url)).text()).toContain('Invalid character in header content');
  });
});
