import { serve } from '@hono/node-server';
import { startRedis } from '@usher/loopback/testing';
import { createClient } from 'redis';
import { createApp } from './app.ts';

// REDIS_URL names a server; without it one is started, if the machine has redis-server.
const started = process.env.REDIS_URL === undefined ? await startRedis() : undefined;
const client = createClient({ url: process.env.REDIS_URL ?? started?.url ?? '', disableOfflineQueue: true });
client.on('error', (error: Error) => console.error(error.message));
await client.connect();

const app = createApp({
  client,
  capacity: 10,
  refillPerSecond: 0.0001, // so slow that this program does not see it refill
  deadlineMs: 60_000, // and patient, for a busy machine
});
const server = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 });
await new Promise((resolve) => server.once('listening', resolve));
const address = server.address();
const port = typeof address === 'object' ? address?.port : undefined;

/** Sends requests at once, and prints how many were answered how. */
async function send(count: number, path: string): Promise<void> {
  const requests = Array.from({ length: count }, () => fetch(`http://127.0.0.1:${port}${path}`));
  const statuses = (await Promise.all(requests)).map(({ status }) => status);
  const [answered, refused] = [200, 429].map((status) => statuses.filter((one) => one === status).length);
  console.log(`${count} × ${path} at once: ${answered} answered, ${refused} refused`);
}

await client.del('limits:redis-bucket:address:127.0.0.1');
await send(64, '/');
await send(5, '/health');
const refused = await fetch(`http://127.0.0.1:${port}/`);
console.log(refused.status, refused.headers.get('retry-after'), await refused.text());

server.close();
client.destroy();
await started?.stop();
