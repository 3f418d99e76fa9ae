import { startRedis } from './start-redis.ts';

/** A process that starts a Redis, tells its own parent the port, and lives until it is killed. */
const { port } = await startRedis();
process.send?.(port);
