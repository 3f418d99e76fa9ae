import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { launchRedis, type RedisLaunch } from './launch-redis.ts';

/**
 * The body of the process that `startRedis` forks. It tells its parent the port, or the problem, and ends its Redis when
 * the parent disconnects, be it by a call or because it died: Redis itself does not see its parent die.
 */
const [, , program = '', preferredPort] = process.argv;
const launch: RedisLaunch = { program, ...(preferredPort !== undefined && { preferredPort: Number(preferredPort) }) };
const ending = new AbortController();
process.once('disconnect', () => ending.abort());
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => ending.abort());

const folder = await mkdtemp(join(tmpdir(), 'usher-redis-'));
try {
  const { port, ended } = await launchRedis(launch, { folder, signal: ending.signal });
  process.send?.({ port });
  await ended;
} catch (error) {
  process.send?.({ problem: error instanceof Error ? error.message : String(error) });
}
await rm(folder, { recursive: true });
if (process.connected) process.disconnect();
