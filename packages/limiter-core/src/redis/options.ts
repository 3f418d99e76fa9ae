import type { Clock } from '../clock.ts';
import { InvalidArgumentError } from '../errors.ts';
import type { LeaseOptions } from '../limiter/leases.ts';
import { assertWhole } from '../limiter/strategies/assert.ts';
import type { RedisClient } from './client.ts';

/** The Redis store's options. */
export interface RedisOptions {
  /** The connection, by `nodeRedis`, `ioRedis` or `upstashRedis`; or any other by these two methods. */
  readonly client: RedisClient;
  /**
   * The beginning of every key.
   *
   * @default 'limits:'
   */
  readonly prefix?: string;
  /**
   * The time, in place of the server's: for tests. Redis still lets keys expire by its own clock; so each is kept for an
   * hour at least.
   *
   * @default the server's time
   */
  readonly clock?: Clock;
  /**
   * A refusal is remembered for this long, and what it already refuses is refused without a call: milliseconds; 0 turns it
   * off.
   *
   * @default 0
   */
  readonly refusalCacheMs?: number;
  /**
   * The most keys whose refusal is remembered.
   *
   * @default 10,000
   */
  readonly refusalCacheSize?: number;
  /** Takes in advance, and serves from that. Off when left out; see {@link LeaseOptions} for its price. */
  readonly lease?: LeaseOptions;
}

/** @throws InvalidArgumentError that names the option and what was expected */
export function assertOptions({ client, prefix = '', refusalCacheMs = 0, refusalCacheSize = 1 }: RedisOptions): void {
  if (typeof client?.evalScript !== 'function' || typeof client.evalSha1 !== 'function') {
    throw new InvalidArgumentError('client must be made by nodeRedis, ioRedis or upstashRedis, or have their methods');
  }
  // Lone surrogates all become the same replacement character: two such prefixes would share keys.
  if (typeof prefix !== 'string' || !prefix.isWellFormed()) {
    throw new InvalidArgumentError(`prefix must be a string without lone surrogates (was ${String(prefix)})`);
  }
  if (!Number.isSafeInteger(refusalCacheMs) || refusalCacheMs < 0) {
    throw new InvalidArgumentError(`refusalCacheMs must be a whole number ≥ 0 (was ${String(refusalCacheMs)})`);
  }
  assertWhole('refusalCacheSize', refusalCacheSize);
}
