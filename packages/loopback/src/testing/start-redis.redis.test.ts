import { fork } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type Redis, startRedis } from './start-redis.ts';

/** Sends one command as a line, as a person would, and answers the first part of the reply. */
async function ask(port: number, command: string): Promise<string> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    socket.write(`${command}\r\n`);
    const [reply]: unknown[] = await once(socket, 'data');
    return String(reply);
  } finally {
    socket.destroy();
  }
}

/** Connects, and answers a promise of the server's end: another may have its port by then, but not its connections. */
async function closeOf(port: number): Promise<{ readonly closed: Promise<void> }> {
  const socket = connect(port, '127.0.0.1').resume();
  await once(socket, 'connect');
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  // A server that is killed may reset the connection, which is its end as well.
  socket.on('error', () => undefined).once('close', () => resolve());
  return { closed };
}

async function startOne(options?: Parameters<typeof startRedis>[0]): Promise<Redis> {
  const redis = await startRedis(options);
  onTestFinished(redis.stop);
  return redis;
}

test('it answers as soon as it is started, is empty, and saves nothing', async () => {
  const { port, url } = await startOne();
  expect(url).toBe(`redis://127.0.0.1:${port}`);
  expect(await ask(port, 'PING')).toBe('+PONG\r\n');
  expect(await ask(port, 'DBSIZE')).toBe(':0\r\n');
  expect(await ask(port, 'CONFIG GET save')).toBe('*2\r\n$4\r\nsave\r\n$0\r\n\r\n');
  expect(await ask(port, 'CONFIG GET appendonly')).toContain('no');
});

test('several start at the same time, each with its own data', async () => {
  const started = await Promise.all(Array.from({ length: 4 }, () => startOne()));
  expect(new Set(started.map(({ port }) => port)).size).toBe(4);
  const [first, second] = started;
  await ask(first?.port ?? 0, 'SET a 1');
  expect(await ask(second?.port ?? 0, 'EXISTS a')).toBe(':0\r\n');
});

test('a port that another took meanwhile is left for another port', async () => {
  const first = await startOne();
  const second = await startOne({ preferredPort: first.port });
  expect(second.port).not.toBe(first.port);
  expect(await ask(second.port, 'PING')).toBe('+PONG\r\n');
});

test('once stopped it is gone, and its neighbour is not; to stop it twice does no harm', async () => {
  const [one, other] = [await startOne(), await startOne()];
  const { closed } = await closeOf(one.port);
  await one.stop();
  await closed;
  await one.stop();
  expect(await ask(other.port, 'PING')).toBe('+PONG\r\n');
});

test('it ends with the process that started it, though that is killed', async () => {
  const parent = fork(new URL('redis-parent-process.ts', import.meta.url), { execArgv: [] });
  const [port]: unknown[] = await Promise.race([once(parent, 'message'), once(parent, 'exit')]);
  const { closed } = await closeOf(Number(port));
  parent.kill('SIGKILL');
  await closed;
});
