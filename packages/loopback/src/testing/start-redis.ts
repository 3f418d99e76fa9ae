import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { RedisLaunch } from './launch-redis.ts';
import { redisProgram } from './redis-program.ts';

/** A real Redis on 127.0.0.1, empty at its start, that saves nothing. */
export interface Redis {
  readonly port: number;
  readonly url: string;
  /** Ends this server, and no other, with its connections. */
  stop(): Promise<void>;
}

/** No Redis could be started. */
export class RedisStartError extends Error {
  override readonly name = 'RedisStartError';
}

/**
 * Starts the machine's redis-server on a free port and answers when it takes connections; the caller stops it. It also ends
 * when this process does, however that comes about.
 *
 * @throws RedisStartError that tells how to install redis-server where there is none
 */
export async function startRedis({ program = redisProgram, preferredPort }: Partial<RedisLaunch> = {}): Promise<Redis> {
  const args = [program, ...(preferredPort === undefined ? [] : [String(preferredPort)])];
  const child = fork(new URL('redis-process.ts', import.meta.url), args, { execArgv: [] });
  const exited = once(child, 'exit');
  const [told]: unknown[] = await Promise.race([once(child, 'message'), exited]);
  const { port, problem } = readTold(told);
  if (port === undefined) {
    await exited;
    throw new RedisStartError(problem);
  }
  return {
    port,
    url: `redis://127.0.0.1:${port}`,
    stop: async () => {
      if (child.connected) child.disconnect();
      await exited;
    },
  };
}

function readTold(told: unknown): { readonly port?: number; readonly problem: string } {
  const problem = `redis-server's process told neither a port nor a problem; it told ${JSON.stringify(told)}.`;
  if (typeof told !== 'object' || told === null) return { problem };
  if ('port' in told && typeof told.port === 'number') return { port: told.port, problem };
  return { problem: 'problem' in told && typeof told.problem === 'string' ? told.problem : problem };
}
