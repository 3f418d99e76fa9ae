import { request } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Problem } from '@usher/contracts';
import { afterEach, describe, expect, test } from 'vitest';
import { PortUnavailableError } from './errors.ts';
import { type IntakeServer, maxRunningRequests, serveIntake } from './intake-server.ts';

describe('the intake server', () => {
  const servers: IntakeServer[] = [];

  afterEach(async () => {
    await Promise.all(servers.splice(0).map((server) => server.close()));
  });

  async function serve(fetch: Parameters<typeof serveIntake>[0], graceMs = 10_000): Promise<IntakeServer> {
    const server = await serveIntake(fetch, { port: 0, graceMs });
    servers.push(server);
    return server;
  }

  function get(url: string, host: string): Promise<{ status: number | undefined; body: string }> {
    return new Promise((resolve, reject) => {
      const sent = request(url, { headers: { Host: host } }, async (answer) =>
        resolve({ status: answer.statusCode, body: await text(answer) }),
      );
      sent.on('error', reject).end();
    });
  }

  test('serves the app to loopback names only', async () => {
    let asked = 0;
    const { url } = await serve(() => {
      asked += 1;
      return new Response('hello');
    });
    const { port } = new URL(url);
    for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, 'LOCALHOST', `[::1]:${port}`]) {
      expect(await get(url, host)).toEqual({ status: 200, body: 'hello' });
    }
    for (const host of ['attacker.example', `attacker.example:${port}`, '127.0.0.1.attacker.example', 'usher.test']) {
      expect((await get(url, host)).status).toBe(421);
    }
    expect(asked).toBe(4);
  });

  test.each([
    ['a path that is none', 'GET /a\\b HTTP/1.1\r\nHost: localhost', 400, '/problems/malformed-request'],
    ['an app that throws what is no error', 'GET / HTTP/1.1\r\nHost: localhost', 500, '/problems/internal'],
  ])('answers %s as the app answers what it refuses', async (_, head, status, type) => {
    const { url } = await serve(() => Promise.reject('no error'));
    const socket = connect(Number(new URL(url).port), '127.0.0.1');
    socket.write(`${head}\r\nConnection: close\r\n\r\n`);
    const [answered = '', body = ''] = (await text(socket)).split('\r\n\r\n');
    const problem = Problem.assert(JSON.parse(body));
    expect(problem).toMatchObject({ type, status });
    expect(answered).toContain(`HTTP/1.1 ${status}`);
    expect(answered.toLowerCase()).toContain(`x-request-id: ${problem.requestId}`);
  });

  test('says which port cannot be had, and why', async () => {
    const { url } = await serve(() => new Response());
    const port = Number(new URL(url).port);
    const second = serveIntake(() => new Response(), { port });
    await expect(second).rejects.toThrow(PortUnavailableError);
    await expect(second).rejects.toThrow(`Port ${port} of 127.0.0.1 is in use; choose another.`);
  });

  test('answers 503 where too many requests are under way, and serves the next once one is done', async () => {
    const released = Promise.withResolvers<void>();
    const arrived = Promise.withResolvers<void>();
    let asked = 0;
    const { url } = await serve(async () => {
      asked += 1;
      if (asked === maxRunningRequests) arrived.resolve();
      await released.promise;
      return new Response('hello');
    });
    const running = Array.from({ length: maxRunningRequests }, () => fetch(url));
    await arrived.promise;
    const refused = await fetch(url, { method: 'POST', body: 'x'.repeat(1_000_000) });
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    expect(await refused.json()).toMatchObject({ type: '/problems/unavailable', status: 503 });
    released.resolve();
    for (const answer of running) expect(await (await answer).text()).toBe('hello');
    expect((await fetch(url)).status).toBe(200);
  });

  test('lets a running request finish when it closes, and keeps no connection alive', async () => {
    const arrived = Promise.withResolvers<void>();
    const released = Promise.withResolvers<Response>();
    const server = await serve(() => {
      arrived.resolve();
      return released.promise;
    });
    const answer = fetch(server.url);
    await arrived.promise;
    let closed = false;
    const closing = server.close().then(() => {
      closed = true;
    });
    await expect(fetch(server.url)).rejects.toThrow();
    expect(closed).toBe(false);
    released.resolve(new Response('done'));
    expect(await (await answer).text()).toBe('done');
    await closing;
  });

  test('cuts a request that takes longer than the grace', async () => {
    const arrived = Promise.withResolvers<void>();
    const server = await serve(() => {
      arrived.resolve();
      return new Promise(() => {});
    }, 1);
    const socket = connect(Number(new URL(server.url).port), '127.0.0.1');
    socket.on('error', () => {}).resume();
    socket.write('POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10\r\n\r\n12');
    await arrived.promise;
    const gone = new Promise((resolve) => socket.on('close', resolve));
    await server.close();
    await gone;
  });
});
