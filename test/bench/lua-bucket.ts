import type { Redis } from 'ioredis';
import { type Contender, WrongResultError } from './contender.ts';
import { limiterContender } from './limiter-contender.ts';
import { rateLimiterKeys } from './rate-limiter-flexible.ts';
import { newRedisClient } from './redis-client.ts';

const name = 'a Lua script of our own';
const secondsPerDay = 86_400;

/**
 * The token bucket most often built on Redis: a hash of tokens and time, refilled, tested and written by one script, by
 * the server's clock.
 *
 * KEYS[1] the bucket; ARGV: capacity, tokens per second, cost. Returns 1 where it took the cost, else 0.
 */
const script = `
local capacity, rate, cost = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local time = redis.call('TIME')
local now = tonumber(time[1]) + tonumber(time[2]) / 1000000
local bucket = redis.call('HMGET', KEYS[1], 'tokens', 'at')
local tokens = tonumber(bucket[1]) or capacity
tokens = math.min(capacity, tokens + math.max(0, now - (tonumber(bucket[2]) or now)) * rate)
local taken = 0
if tokens >= cost then
  tokens = tokens - cost
  taken = 1
end
redis.call('HSET', KEYS[1], 'tokens', tostring(tokens), 'at', tostring(now))
redis.call('EXPIRE', KEYS[1], math.ceil(capacity / rate) + 1)
return taken
`;

/** One script per reservation. The bucket holds a day's limit and takes a day to fill, so no token returns within a run. */
export async function luaBucket(url: string, reservationsPerAccount: number): Promise<Contender> {
  const { client, takeTally, close } = await newRedisClient(url);
  client.defineCommand('takeToken', { numberOfKeys: 1, lua: script });
  return limiterContender({
    key: 'lua-bucket',
    name,
    algorithm: 'token bucket',
    endpoint: 'Redis',
    baseline: rateLimiterKeys.Redis,
    reservationsPerAccount,
    widths: [8, 32, 128],
    takeTally,
    open: (limit) => (accountId) => takeToken(client, `bucket:${accountId}`, limit),
    verify: async (accountId) => {
      const tokens = Number(await client.hget(`bucket:${accountId}`, 'tokens'));
      if (!(tokens >= 0 && tokens < 1)) throw new WrongResultError(name, accountId, `${tokens} tokens are left`);
    },
    close,
  });
}

/** ioredis adds the script to the client under its name, which its types do not know. */
async function takeToken(client: Redis & { takeToken?: unknown }, key: string, limit: number): Promise<number> {
  const { takeToken } = client;
  if (typeof takeToken !== 'function') throw new Error('The client has no command takeToken.');
  return await takeToken.call(client, key, limit, limit / secondsPerDay, 1);
}
