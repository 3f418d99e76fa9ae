import { fork } from 'node:child_process';
import { once } from 'node:events';

/** A DynamoDB on 127.0.0.1 in a process of its own. */
export interface DynaliteProcess {
  readonly endpoint: string;
  stop(): Promise<void>;
}

/**
 * Starts dynalite in a process of its own, so that a contender's client shares no thread with the database. On
 * AWS it shares none either, and a contender's own work would slow its database down.
 */
export async function startDynaliteProcess(): Promise<DynaliteProcess> {
  const child = fork(new URL('dynalite-process.ts', import.meta.url), { execArgv: [] });
  const exited = once(child, 'exit');
  const [endpoint]: unknown[] = await Promise.race([
    once(child, 'message'),
    exited.then(([code]) => Promise.reject(new Error(`dynalite's process ended at its start, with code ${code}.`))),
  ]);
  if (typeof endpoint !== 'string') {
    throw new Error(`dynalite's process must tell its endpoint; it told ${JSON.stringify(endpoint)}.`);
  }
  return {
    endpoint,
    stop: async () => {
      child.disconnect();
      await exited;
    },
  };
}
