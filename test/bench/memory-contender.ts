import { fork } from 'node:child_process';
import { once } from 'node:events';
import { type Contender, type Contention, type ContentionRequest, type Run, WrongResultError } from './contender.ts';
import { newLatencies } from './latencies.ts';
import { type MemoryLimiterName, memoryLimiters } from './memory-limiters.ts';
import { type MemoryProcessArguments, MemoryRoundAnswer } from './memory-messages.ts';
import { emptyTally } from './meter.ts';

export interface MemoryContenderOptions {
  readonly name: string;
  readonly algorithm: string;
  readonly limiter: MemoryLimiterName;
  /** Keys that have something counted, any of which may be asked about. */
  readonly liveKeys: number;
  readonly decisions: number;
}

/** The key of a contender in memory. */
export function memoryKey(limiter: MemoryLimiterName, liveKeys: number): string {
  return `memory-${limiter}-${liveKeys}`;
}

/** A limiter that decides in a process's own memory, one decision after the other. */
export async function memoryContender(options: MemoryContenderOptions): Promise<Contender> {
  const { name, algorithm, limiter, liveKeys, decisions } = options;
  const argument: MemoryProcessArguments = { limiter, liveKeys };
  const child = fork(new URL('memory-process.ts', import.meta.url), [JSON.stringify(argument)], {
    execArgv: ['--expose-gc'],
  });
  const ended = once(child, 'exit');
  const answer = async (): Promise<unknown> => {
    const [message]: unknown[] = await Promise.race([
      once(child, 'message'),
      ended.then(([code]) => Promise.reject(new Error(`The process of ${name} ended, with code ${code}.`))),
    ]);
    return message;
  };
  await answer();
  return {
    key: memoryKey(limiter, liveKeys),
    name: `${name}, ${liveKeys.toLocaleString('en')} keys`,
    algorithm,
    endpoint: 'memory',
    baseline: memoryKey('rateLimiterFlexible', liveKeys),
    widths: [1],
    run: async ({ share }): Promise<Run> => {
      const asked = Math.ceil(decisions * share);
      child.send({ decisions: asked });
      const { allowed, seconds, latenciesMs } = MemoryRoundAnswer.assert(await answer());
      if (allowed !== asked) throw new WrongResultError(name, 'any', `${allowed} of ${asked} allowed`);
      const latencies = newLatencies();
      for (const ms of latenciesMs) latencies.add(ms, 1);
      return { decisions: asked, seconds, tally: emptyTally, latencies };
    },
    contend: (request) => contendInMemory(limiter, request),
    close: async () => {
      if (child.connected) child.disconnect();
      await ended;
    },
  };
}

/** A limiter in memory is one process's: all callers ask the same. */
async function contendInMemory(
  limiter: MemoryLimiterName,
  { callers, asksPerCaller, limit }: ContentionRequest,
): Promise<Contention> {
  const decide = memoryLimiters[limiter](limit);
  const asks = Array.from({ length: asksPerCaller }, () => 'contended');
  const allowed = await Promise.all(Array.from({ length: callers }, async () => decide(asks)));
  return { allowed: allowed.reduce((total, count) => total + count, 0), limit };
}
