/**
 * A connection to Redis, as much of it as the store uses. Both methods run a script on one key and answer what it returns;
 * an error that the server answers keeps its text (`NOSCRIPT …`). No client has methods of these names, so that one which
 * is passed as it is gets noticed.
 */
export interface RedisClient {
  /** Sends EVAL. */
  evalScript(script: string, key: string, args: readonly string[]): Promise<unknown>;
  /**
   * Sends EVALSHA.
   *
   * @param sha1 the script's SHA-1, in hex
   */
  evalSha1(sha1: string, key: string, args: readonly string[]): Promise<unknown>;
}

/** The part of node-redis (`redis` on npm) that is used: of a client, a pool, a sentinel or a cluster. */
export interface NodeRedis {
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
  evalSha(sha1: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/** Makes a client of node-redis fit. The caller connects and closes it. */
export function nodeRedis(client: NodeRedis): RedisClient {
  return {
    evalScript: (script, key, args) => client.eval(script, { keys: [key], arguments: [...args] }),
    evalSha1: (sha1, key, args) => client.evalSha(sha1, { keys: [key], arguments: [...args] }),
  };
}

/** The part of ioredis that is used: of a client or a cluster. */
export interface IoRedis {
  eval(script: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>;
  evalsha(sha1: string, keyCount: number, ...keysAndArguments: string[]): Promise<unknown>;
}

/** Makes a client of ioredis fit. The caller closes it. */
export function ioRedis(client: IoRedis): RedisClient {
  return {
    evalScript: (script, key, args) => client.eval(script, 1, key, ...args),
    evalSha1: (sha1, key, args) => client.evalsha(sha1, 1, key, ...args),
  };
}

/** The part of `@upstash/redis` that is used. */
export interface UpstashRedis {
  eval(script: string, keys: string[], args: string[]): Promise<unknown>;
  evalsha(sha1: string, keys: string[], args: string[]): Promise<unknown>;
}

/** Makes a client of `@upstash/redis` fit. */
export function upstashRedis(client: UpstashRedis): RedisClient {
  return {
    evalScript: (script, key, args) => client.eval(script, [key], [...args]),
    evalSha1: (sha1, key, args) => client.evalsha(sha1, [key], [...args]),
  };
}
