import { expect, test } from 'vitest';
import { startRedis } from './start-redis.ts';

test('where there is no Redis server, the error tells how to install one', async () => {
  await expect(startRedis({ program: 'no-such-redis-server' })).rejects.toThrow(
    'There is no no-such-redis-server on this machine; ' +
      'install it with "apt-get install redis-server" or "brew install redis".',
  );
});

test('a program that ends at its start is told with its code and its output', async () => {
  await expect(startRedis({ program: 'true' })).rejects.toThrow('true ended at its start, with code 0');
});
