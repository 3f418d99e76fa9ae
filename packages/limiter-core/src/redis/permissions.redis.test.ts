import { type Redis as RedisServer, startRedis } from '@usher/loopback/testing';
import { createClient } from 'redis';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createLimiter, type Decision, tokenBucket } from '../index.ts';
import { readme } from '../testing/readme.ts';
import { nodeRedis, redis } from './index.ts';

/** The permissions of the README's sentence. */
const [, permissions = ''] = /`(~limits:\* [a-z +]+)`/.exec(readme) ?? [];

let server: RedisServer;
beforeAll(async () => {
  server = await startRedis();
});
afterAll(() => server.stop());

/** Connects as a user with these permissions and no others. */
async function connectWith(allowed: string) {
  const operator = createClient({ url: server.url });
  await operator.connect();
  await operator.sendCommand(['ACL', 'SETUSER', 'limiter', 'reset', 'on', '>secret', ...allowed.split(' ')]);
  // So that the script is sent whole once more.
  await operator.scriptFlush();
  await operator.close();
  const url = new URL(server.url);
  const client = createClient({
    socket: { host: url.hostname, port: Number(url.port) },
    username: 'limiter',
    password: 'secret',
    disableClientInfo: true,
  });
  await client.connect();
  onTestFinished(() => client.close());
  return createLimiter({
    name: 'api',
    strategy: tokenBucket({ capacity: 2, refillPerSecond: 0.001 }),
    store: redis({ client: nodeRedis(client) }),
    failPolicy: 'closed',
    deadlineMs: 60_000,
  });
}

test('a user with the permissions of the README can do all that a limiter does', async () => {
  const limiter = await connectWith(permissions);
  const decisions: Decision[] = [await limiter.check('ada'), await limiter.peek('ada'), await limiter.charge('ada')];
  expect(decisions.map(({ remaining }) => remaining)).toEqual([1, 1, 0]);
  for (const decision of decisions) await limiter.refund(decision);
  await limiter.block('ada', 60_000);
  await limiter.block('ada', 0);
  await limiter.block('ada', Number.POSITIVE_INFINITY);
  await limiter.delete('ada');
  expect(await limiter.check('ada')).toMatchObject({ allowed: true, remaining: 1 });
});

test.each(permissions.split(' '))('without %s something of it is refused', async (permission) => {
  const limiter = await connectWith(
    permissions
      .split(' ')
      .filter((one) => one !== permission)
      .join(' '),
  );
  const work = async (): Promise<boolean> => {
    const { allowed } = await limiter.check('bob');
    await limiter.block('bob', 60_000);
    await limiter.block('bob', 0);
    await limiter.block('bob', Number.POSITIVE_INFINITY);
    await limiter.delete('bob');
    return allowed;
  };
  // A refusal of a check is told by the fail policy, one of the others by an error.
  expect(await work().catch(() => false)).toBe(false);
});
