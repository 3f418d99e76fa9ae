import { spawnSync } from 'node:child_process';

/** Redis's own server, found on the PATH. */
export const redisProgram = 'redis-server';

/** Tells how to install it; an error and a warning say the same. */
export const installRedis = 'install it with "apt-get install redis-server" or "brew install redis"';

/** True where this machine has a Redis server. */
export function hasRedis(): boolean {
  return spawnSync(redisProgram, ['--version']).status === 0;
}
