import { fork } from 'node:child_process';
import { once } from 'node:events';

/** A DynamoDB on 127.0.0.1 in a process of its own. */
export interface DynaliteServer {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/**
 * Starts dynalite in a process of its own, so that a contender's client does not share one thread with the database:
 * on AWS it does not either, and what a contender spends in its own process would otherwise slow its database down.
 */
export async function startDynalite(): Promise<DynaliteServer> {
  const child = fork(new URL('dynalite-process.ts', import.meta.url), { execArgv: [] });
  const exited = once(child, 'exit');
  const [address]: unknown[] = await Promise.race([
    once(child, 'message'),
    exited.then(([code]) => Promise.reject(new Error(`dynalite's process ended at its start, with code ${code}.`))),
  ]);
  return {
    endpoint: `http://127.0.0.1:${portOf(address)}`,
    stop: async () => {
      child.disconnect();
      await exited;
    },
  };
}

function portOf(address: unknown): number {
  if (typeof address === 'object' && address !== null && 'port' in address && typeof address.port === 'number') {
    return address.port;
  }
  throw new Error(`dynalite's process must tell its port; it told ${JSON.stringify(address)}.`);
}
