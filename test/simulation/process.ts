import type { Clock, RetryEnvironment } from '@usher/limiter-core/bulk';
import type { Prng } from './prng.ts';
import type { Version } from './scenario.ts';
import type { Scheduler } from './scheduler.ts';

export type Role = 'intake' | 'worker' | 'pacer';

/**
 * One operating system process: a clock of its own, and a life that can end at any await. What a dead process waits for
 * never arrives, so that none of its code goes on.
 */
export class Process {
  readonly name: string;
  readonly role: Role;
  readonly version: Version;
  readonly clock: Clock;
  /** The lead of its clock over true time; negative where it lies behind. */
  readonly skewMs: number;
  readonly retry: RetryEnvironment;
  /** Resolves when it dies. */
  readonly dead: Promise<void>;
  alive = true;
  /** Accounts that a fault has hit since the current invocation began. */
  readonly faulted = new Set<string>();
  /** Accounts whose chunks are in the ledger since the invocation's last publishing. */
  readonly untold = new Set<string>();
  /** The end of the current batch's visibility. */
  visibleAtMs = Number.POSITIVE_INFINITY;
  /** The policy overrides last read, by account; a new map for each change, so that a request can keep what was known. */
  policiesRead: ReadonlyMap<string, unknown> = new Map();
  readonly #scheduler: Scheduler;
  readonly #prng: Prng;
  #die: () => void = () => {};

  constructor(of: { name: string; role: Role; version: Version; skewMs: number; scheduler: Scheduler; prng: Prng }) {
    this.name = of.name;
    this.role = of.role;
    this.version = of.version;
    this.#scheduler = of.scheduler;
    this.#prng = of.prng;
    this.skewMs = of.skewMs;
    this.clock = () => Math.floor(of.scheduler.nowMs + of.skewMs);
    this.retry = { sleep: (ms) => this.sleep(ms), random: of.prng.random };
    this.dead = new Promise((resolve) => {
      this.#die = resolve;
    });
  }

  kill(): void {
    this.alive = false;
    this.#die();
  }

  /** Pauses; for ever, if it dies meanwhile. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.#scheduler.after(ms, () => this.alive && resolve()));
  }

  /** The pause that the SDK's standard mode makes before a retry: full jitter, up to 20 s. */
  backOff(attempt: number, baseMs: number): Promise<void> {
    return this.sleep(this.#prng.random() * Math.min(20_000, baseMs * 2 ** attempt));
  }
}
