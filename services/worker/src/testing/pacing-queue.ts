import { Dispatch } from '@usher/contracts';
import { deliveryOf } from './messages.ts';
import { handedBack, type SentMessage, type TestWorker } from './test-worker.ts';

/** A dispatch with the instant at which SQS hands it to the booking system. */
export interface Arrival {
  readonly dispatch: Dispatch;
  readonly atMs: number;
}

interface Waiting {
  readonly messageId: string;
  readonly body: string;
  readonly visibleAtMs: number;
}

/** A pacing queue in virtual time: hands each message to the pacer when its delay is over, until none is left. */
export class PacingQueue {
  readonly arrivals: Arrival[] = [];
  /** Receives of all messages, each counted each time. */
  receives = 0;
  readonly #worker: TestWorker;
  #waiting: Waiting[] = [];
  #sequence = 0;

  constructor(worker: TestWorker) {
    this.#worker = worker;
  }

  /** Takes what the worker sent since; dispatches arrive after their delay, pacing messages wait for theirs. */
  collect(): void {
    const nowMs = this.#worker.clock();
    const after = ({ delaySeconds }: SentMessage): number => nowMs + delaySeconds * 1000;
    for (const message of this.#worker.sent('dispatch')) {
      this.arrivals.push({ dispatch: Dispatch.assert(JSON.parse(message.body)), atMs: after(message) });
    }
    for (const message of this.#worker.sent('pacing')) this.put(message.body, after(message));
    this.#worker.forget();
  }

  put(body: string, visibleAtMs = this.#worker.clock()): void {
    this.#waiting.push({ messageId: `p-${this.#sequence++}`, body, visibleAtMs });
  }

  /** Turns the order round in which messages visible at once are handed out; SQS promises none. */
  reverse(): void {
    this.#waiting.reverse();
  }

  get length(): number {
    return this.#waiting.length;
  }

  /**
   * Runs the pacer on what is due next, at most ten messages, and returns what it handed back to be received again.
   *
   * @param latenessMs how long the messages lie before a pacer comes
   */
  async step({ latenessMs = 0, crash = false } = {}): Promise<readonly string[]> {
    const first = Math.min(...this.#waiting.map(({ visibleAtMs }) => visibleAtMs));
    this.#worker.clock.set(Math.max(this.#worker.clock(), first + latenessMs));
    const due = this.#waiting.filter(({ visibleAtMs }) => visibleAtMs <= this.#worker.clock()).slice(0, 10);
    this.receives += due.length;
    const event = { Records: due.map(({ messageId, body }) => deliveryOf(body, messageId)) };
    const back = new Set(handedBack(await this.#worker.pace(event)));
    this.collect();
    // A pacer that dies says nothing: all its messages become visible again.
    if (crash) return due.map(({ messageId }) => messageId);
    this.#waiting = this.#waiting.filter((message) => !due.includes(message) || back.has(message.messageId));
    return [...back];
  }

  async drain(options: { latenessMs?: number } = {}): Promise<void> {
    for (let steps = 0; this.#waiting.length > 0; steps++) {
      if (steps > 5000) throw new Error('the pacing queue does not run empty');
      await this.step(options);
    }
  }
}
