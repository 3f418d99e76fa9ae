import type { Contender, Contention, ContentionRequest, Endpoint } from './contender.ts';
import { inParallel } from './in-parallel.ts';
import type { Tally } from './meter.ts';
import { type PreparedRun, runWork } from './run-work.ts';
import { inBatches, type Work } from './work.ts';

/** Asks a limiter for so many reservations of an account, of cost 1 each, and answers how many it allowed. */
export type Ask = (accountId: string, reservations: number) => Promise<number>;

/** A limiter of one process, which callers ask. */
export interface LimiterContenderOptions {
  readonly key: string;
  readonly name: string;
  readonly algorithm: string;
  readonly endpoint: Endpoint;
  readonly baseline: string;
  readonly reservationsPerAccount: number;
  readonly widths: readonly number[];
  /**
   * The reservations of an account in one call.
   *
   * @default 1
   */
  readonly batch?: number;
  readonly takeTally: () => Tally;
  /** A limiter with nothing in its memory. */
  readonly open: (limit: number) => Ask;
  /** Checks that the store's own figures agree with what was granted. */
  readonly verify?: (accountId: string, limit: number) => Promise<void>;
  readonly close: () => void | Promise<void>;
}

/** The contender that a limiter is: independent callers ask it for every account in turn. */
export function limiterContender(options: LimiterContenderOptions): Contender {
  const { key, name, algorithm, endpoint, baseline, widths, batch = 1, open, verify, close } = options;
  const prepare = (work: Work): PreparedRun => {
    const ask = open(work.limit);
    const batches = inBatches(work, batch);
    return {
      decide: async (width, latencies) => {
        const granted = new Map<string, number>();
        await inParallel(batches, width, async ({ accountId, reservations }) => {
          const startedAt = performance.now();
          const allowed = await ask(accountId, reservations);
          latencies.add(performance.now() - startedAt, reservations);
          granted.set(accountId, (granted.get(accountId) ?? 0) + allowed);
        });
        return granted;
      },
      verify: async () => {
        for (const { accountId } of work.accounts) await verify?.(accountId, work.limit);
      },
    };
  };
  let contentions = 0;
  return {
    key,
    name,
    algorithm,
    endpoint,
    baseline,
    widths,
    run: (request) => runWork({ ...options, prepare }, request),
    contend: (request) => contendFor(open, `${key}-contended-${++contentions}`, { ...request, batch }),
    close,
  };
}

/** Every caller asks again and again, a batch at a time, all at once. A caller whose limiter gives up is refused. */
async function contendFor(
  open: (limit: number) => Ask,
  accountId: string,
  { callers, processes, asksPerCaller, limit, batch }: ContentionRequest & { readonly batch: number },
): Promise<Contention> {
  const limiters = Array.from({ length: processes }, () => open(limit));
  const call = async (ask: Ask): Promise<number> => {
    let allowed = 0;
    for (let asked = 0; asked < asksPerCaller; asked++) {
      const more = await ask(accountId, batch).catch(() => 0);
      allowed += more;
    }
    return allowed;
  };
  const allowed = await Promise.all(
    Array.from({ length: callers }, (_, caller) => {
      const ask = limiters[caller % processes];
      if (ask === undefined) throw new RangeError('There must be at least one process.');
      return call(ask);
    }),
  );
  return { allowed: allowed.reduce((total, count) => total + count, 0), limit };
}
