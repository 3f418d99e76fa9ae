import { setTimeout as pause } from 'node:timers/promises';
import type { StackClients } from '@usher/local-stack';
import { connectWith, noCrash } from '../support/process.ts';
import { type SpawnedChild, type SpawnOptions, spawnChild } from '../support/spawn-child.ts';
import type { Counts } from './counts.ts';
import {
  type BatchReport,
  type CallFault,
  readAddresses,
  readBatchReport,
  readHit,
  type StackAddresses,
} from './messages.ts';

/** The largest file on a full disk: above the table's largest, LevelDB's log of 4 MiB. */
const fullDiskBytes = 6 * 1024 * 1024;
/** The processes that work off queues. */
const workers = [...Array<string>(4).fill('./worker-process.ts'), './reporter-process.ts'];

export interface KillableStackOptions {
  readonly dataDir: string;
  readonly policies: object;
  readonly seed: number;
  /** Calls that faults have met, by kind of hit. */
  readonly hits: Counts;
  /** Called with each batch that a worker has received. */
  readonly onBatch: (batch: BatchReport) => void;
}

/** The endpoints that run now, as those who use them need them. */
export interface Connection extends StackAddresses {
  readonly clients: StackClients;
}

/** A stack on one folder. Each part of it is a process that can be killed and is then replaced. */
export class KillableStack {
  /** The endpoints that run, or are about to. */
  connection: Promise<Connection>;
  /** The HTTP API that runs, or is about to. */
  url: Promise<string>;
  readonly #options: KillableStackOptions;
  readonly #children = new Set<SpawnedChild>();
  #endpoints: SpawnedChild | undefined;
  #intake: SpawnedChild | undefined;
  /** Workers that poll, with their script; those that still start are not among them. */
  readonly #workers = new Map<SpawnedChild, string>();
  #disconnect: () => void = () => undefined;
  #starts = 0;
  #isServing = false;
  #isClosed = false;

  constructor(options: KillableStackOptions) {
    this.#options = options;
    this.connection = this.#startEndpoints(false);
    this.url = this.#startIntake();
    this.#startWorkers();
  }

  /** Resolves once the endpoints and the intake run; rejects where they could not start. */
  async running(): Promise<Connection & { readonly intakeUrl: string }> {
    const [connection, intakeUrl] = await Promise.all([this.connection, this.url]);
    return { ...connection, intakeUrl };
  }

  get pollingWorkers(): number {
    return this.#workers.size;
  }

  /** Injects a fault into the endpoints' calls, if they run; it ends with their process. */
  injectFault(fault: CallFault): void {
    if (this.#isServing) this.#endpoints?.tell(JSON.stringify(fault));
  }

  /** Kills one of the workers that poll, and starts another one like it. */
  async killWorker(which: number): Promise<void> {
    const found = [...this.#workers][which % Math.max(1, this.#workers.size)];
    if (found === undefined) return;
    const [worker, script] = found;
    this.#workers.delete(worker);
    await this.#kill(worker);
    void this.#startWorker(script);
  }

  async killIntake(): Promise<void> {
    const intake = this.#intake;
    this.url = this.#kill(intake).then(() => this.#startIntake());
    await this.url;
  }

  /**
   * Kills all processes, the endpoints first and the others after so many milliseconds without them, and starts them
   * again on the same folder.
   */
  async killAll(aloneMs: number, { diskFills = false } = {}): Promise<void> {
    const killed = this.#killEverything(aloneMs);
    this.connection = killed.then(() => this.#startEndpoints(diskFills));
    this.url = killed.then(() => this.#startIntake());
    await killed;
    this.#startWorkers();
    await this.running();
  }

  /** Ends every process that it started. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#killEverything(0);
    while (this.#children.size > 0) await Promise.all([...this.#children].map((child) => this.#kill(child)));
  }

  async #killEverything(aloneMs: number): Promise<void> {
    this.#isServing = false;
    await this.#kill(this.#endpoints);
    this.#disconnect();
    await pause(aloneMs);
    const polling = [...this.#workers.keys()];
    this.#workers.clear();
    await Promise.all([this.#intake, ...polling].map((child) => this.#kill(child)));
  }

  async #startEndpoints(diskFills: boolean): Promise<Connection> {
    const { dataDir, policies, seed, hits } = this.#options;
    const order = { dataDir, policies, seed: seed + this.#starts++, diskFills };
    const options = diskFills ? { maxFileBytes: fullDiskBytes } : {};
    const child = this.#spawn(new URL('./endpoints-process.ts', import.meta.url), order, options);
    this.#endpoints = child;
    const { urls, queues } = readAddresses.assert(await child.firstLine);
    this.#isServing = true;
    child.onLine((line) => hits.add(readHit.assert(line).hit));
    const { clients, destroy } = connectWith(urls, {}, noCrash);
    this.#disconnect = destroy;
    return { urls, queues, clients };
  }

  async #startIntake(): Promise<string> {
    const { urls, queues } = await this.connection;
    this.#intake = this.#spawn(new URL('./intake-process.ts', import.meta.url), { urls, queues });
    return this.#intake.firstLine;
  }

  #startWorkers(): void {
    for (const script of workers) void this.#startWorker(script);
  }

  async #startWorker(script: string): Promise<void> {
    const { onBatch } = this.#options;
    const { connection } = this;
    try {
      const { urls, queues } = await connection;
      const worker = this.#spawn(new URL(script, import.meta.url), { urls, queues });
      await worker.firstLine;
      // Endpoints that were replaced while it started have workers of their own.
      if (connection !== this.connection) return void (await this.#kill(worker));
      this.#workers.set(worker, script);
      worker.onLine((line) => {
        onBatch(readBatchReport.assert(line));
      });
    } catch {
      // It was killed, or its endpoints were, before it could poll: new endpoints have new workers.
    }
  }

  #spawn(script: URL, argument: object, options: SpawnOptions = {}): SpawnedChild {
    if (this.#isClosed) throw new Error('The stack is closed.');
    const cache = { NODE_COMPILE_CACHE: `${this.#options.dataDir}/compile-cache` };
    const child = spawnChild(script, argument, { ...options, env: cache });
    this.#children.add(child);
    void child.ended.then(() => this.#children.delete(child));
    return child;
  }

  async #kill(child: SpawnedChild | undefined): Promise<void> {
    if (child === undefined) return;
    await child.kill();
    this.#children.delete(child);
  }
}
