import { createClient } from 'redis';
import { createLimiter, slidingWindow } from '../index.ts';
import { nodeRedis, redis } from '../redis/index.ts';

const client = createClient({ url: process.env.REDIS_URL ?? 'redis://127.0.0.1:6379', disableOfflineQueue: true });
client.on('error', (error: Error) => console.error(error.message));
await client.connect();

const limiter = createLimiter({
  name: 'api',
  strategy: slidingWindow({ limit: 10, windowMs: 3_600_000 }),
  store: redis({ client: nodeRedis(client) }),
  deadlineMs: 10_000, // patient, for this example; 250 when left out
});

const decisions = await Promise.all(Array.from({ length: 20 }, () => limiter.check('ada')));
console.log(decisions.filter(({ allowed }) => allowed).length);

await limiter.delete('ada');
client.destroy();
