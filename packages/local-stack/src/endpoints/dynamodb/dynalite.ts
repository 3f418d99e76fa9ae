import { Worker } from 'node:worker_threads';
import type { DynaliteReply, FromThread, RequestHeaders, ToThread } from './dynalite-messages.ts';

/** The thread that runs dynalite has ended during a call: nobody knows how far the call came. */
export class DynaliteEndedError extends Error {
  override readonly name = 'DynaliteEndedError';
}

/** Tables of DynamoDB, kept by dynalite on LevelDB or in memory. */
export interface DynaliteStore {
  /** @throws DynaliteEndedError */
  call(headers: RequestHeaders, body: Buffer): Promise<DynaliteReply>;
  /** Closes the tables; no call may be under way. */
  close(): Promise<void>;
}

/** One for all stores of a process, started when it is needed: loading dynalite takes longer than most tests. */
let current: Thread | undefined;
let stores = 0;

/**
 * Opens tables under `path`, or in memory. Where dynalite's thread ends, the call under way fails, and the next one
 * finds the folder opened by a new thread. What was in memory is lost, so such a store fails from then on.
 */
export function openDynalite(path: string | undefined): DynaliteStore {
  const store = ++stores;
  let openedIn: Thread | undefined;

  function thread(): Thread {
    if (current === undefined || current.hasEnded) current = new Thread();
    if (openedIn === current) return current;
    if (openedIn !== undefined && path === undefined) {
      throw new DynaliteEndedError('The tables in memory went with the thread that held them.');
    }
    current.post({ kind: 'open', store, path });
    openedIn = current;
    return current;
  }

  thread();
  return {
    call: async (headers, body) => {
      const reply = await thread().ask((call) => ({ kind: 'call', store, call, headers, body }));
      if (reply === undefined) throw new Error('dynalite answered a request with nothing.');
      return reply;
    },
    close: async () => {
      if (openedIn === undefined || openedIn.hasEnded) return;
      await openedIn.ask((call) => ({ kind: 'close', store, call }));
    },
  };
}

class Thread {
  hasEnded = false;
  readonly #worker = new Worker(new URL('./dynalite-thread.ts', import.meta.url));
  readonly #waiting = new Map<number, PromiseWithResolvers<DynaliteReply | undefined>>();
  #calls = 0;

  constructor() {
    // It keeps no process alive by itself, only while something waits for it.
    this.#worker.unref();
    this.#worker.on('message', ({ call, reply }: FromThread) => this.#take(call)?.resolve(reply));
    this.#worker.on('error', (error) => this.#end(error));
    this.#worker.on('exit', () => this.#end(undefined));
  }

  post(message: ToThread): void {
    this.#worker.postMessage(message);
  }

  ask(message: (call: number) => ToThread): Promise<DynaliteReply | undefined> {
    const call = ++this.#calls;
    const answer = Promise.withResolvers<DynaliteReply | undefined>();
    this.#waiting.set(call, answer);
    this.#worker.ref();
    this.post(message(call));
    return answer.promise;
  }

  #take(call: number): PromiseWithResolvers<DynaliteReply | undefined> | undefined {
    const answer = this.#waiting.get(call);
    this.#waiting.delete(call);
    if (this.#waiting.size === 0) this.#worker.unref();
    return answer;
  }

  #end(cause: unknown): void {
    this.hasEnded = true;
    for (const call of [...this.#waiting.keys()]) {
      this.#take(call)?.reject(new DynaliteEndedError('dynalite failed during this call.', { cause }));
    }
  }
}
