import type { Chunk } from '@usher/contracts';
import { Dispatch, Pacing, workerBatchSize, workQueue } from '@usher/contracts';
import { type HopStore, MemoryHopStore } from '@usher/limiter-core/bulk';
import { batchOf, deliveryOf } from './messages.ts';
import { type SendAnswer, type SendCall, taken } from './scripted-clients.ts';
import { handedBack, queues, TestWorker, type TestWorkerOptions } from './test-worker.ts';

/** A span in which one of the pacer's services answers nothing. */
export interface Outage {
  readonly of: 'table' | 'dispatch' | 'pacing';
  readonly fromMs: number;
  readonly toMs: number;
}

export interface FaultyWeekOptions {
  readonly seed: number;
  readonly chunks: readonly Chunk[];
  /** The instants at which the chunks are settled, the first one included; each later one replays them. */
  readonly settledAtMs: readonly number[];
  readonly outages: readonly Outage[];
  /** The instants at which an operator redrives the dead letters. */
  readonly redrivenAtMs: readonly number[];
  readonly hops?: HopStore;
  readonly policy?: TestWorkerOptions['policy'];
}

/** The rates of faults, for each call or message. */
const rates = { replyLost: 0.1, crash: 0.03, deleteLost: 0.03 };

const visibilityMs = workQueue.visibilityTimeoutSeconds * 1000;

/** The delay of a batch from its first visible message on: as long as others take to become visible too. */
const batchedMs = 50;

interface Waiting {
  readonly messageId: string;
  readonly accountId: string;
  readonly chunkId: string;
  readonly body: string;
  visibleAtMs: number;
  receives: number;
}

/** A dispatch with the instant at which SQS hands it to the booking system. */
export interface Arrived extends Dispatch {
  readonly arrivedAtMs: number;
}

/**
 * Some days of the pacer in virtual time, from a seed. Replies are lost, processes die at any call, deletes are lost,
 * services are away, and messages received too often become dead letters, which come back under new ids.
 */
export class FaultyWeek {
  readonly arrived: Arrived[] = [];
  /** The most messages of one chunk that were ever alive at once, dead letters included. */
  mostCopies = 0;
  hops = 0;
  redriven = 0;
  readonly #options: FaultyWeekOptions;
  readonly #worker: TestWorker;
  readonly #random: () => number;
  #waiting: Waiting[] = [];
  #dead: Waiting[] = [];
  #serial = 0;
  /** The calls that the running invocation has left before its process dies. */
  #callsLeft = Number.POSITIVE_INFINITY;

  constructor(options: FaultyWeekOptions) {
    const { seed, hops = new MemoryHopStore(), policy = {} } = options;
    this.#options = options;
    this.#random = randomOf(seed);
    const claim: HopStore['claim'] = (request) => this.#call('table', () => hops.claim(request));
    this.#worker = new TestWorker({ policy, hops: { claim } });
    this.#worker.answerSend = (call) => this.#answer(call);
  }

  /**
   * Plays until nothing is left to happen.
   *
   * @param isEnough ends the play early
   */
  async play(isEnough: () => boolean = () => false): Promise<void> {
    const { settledAtMs, redrivenAtMs } = this.#options;
    const { clock } = this.#worker;
    const settle = async (): Promise<void> => {
      const isDone = await this.#settle();
      // SQS hands them out again.
      if (!isDone) events.push({ atMs: clock() + visibilityMs, act: settle });
    };
    const events = [
      ...settledAtMs.map((atMs) => ({ atMs, act: settle })),
      ...redrivenAtMs.map((atMs) => ({ atMs, act: async () => this.#redrive() })),
    ];
    while (!isEnough()) {
      events.sort((a, b) => a.atMs - b.atMs);
      const visibleAtMs = Math.min(...this.#waiting.map((message) => message.visibleAtMs)) + batchedMs;
      const [event] = events;
      const nextMs = Math.min(visibleAtMs, event?.atMs ?? Number.POSITIVE_INFINITY);
      if (nextMs === Number.POSITIVE_INFINITY) return;
      clock.set(Math.max(clock(), nextMs));
      if (event !== undefined && event.atMs <= clock()) await events.shift()?.act();
      else await this.#pace();
      const byChunk = Map.groupBy([...this.#waiting, ...this.#dead], ({ chunkId }) => chunkId);
      for (const { length } of byChunk.values()) this.mostCopies = Math.max(this.mostCopies, length);
    }
  }

  /** Settles the chunks, or replays them; false where they have to come again. */
  async #settle(): Promise<boolean> {
    const batch = batchOf(Object.fromEntries(this.#options.chunks.map((chunk, i) => [`b-${i}`, chunk])));
    const isDead = this.#begin();
    return handedBack(await this.#worker.settle(batch)).length === 0 && !isDead();
  }

  async #pace(): Promise<void> {
    const { maxReceiveCount } = workQueue;
    const nowMs = this.#worker.clock();
    const visible = this.#waiting.filter(({ visibleAtMs }) => visibleAtMs <= nowMs);
    this.#dead.push(...visible.filter(({ receives }) => receives >= maxReceiveCount));
    this.#waiting = this.#waiting.filter((message) => !this.#dead.includes(message));
    const batch = visible.filter(({ receives }) => receives < maxReceiveCount).slice(0, workerBatchSize);
    if (batch.length === 0) return;
    for (const message of batch) {
      message.receives += 1;
      message.visibleAtMs = nowMs + visibilityMs;
    }
    const isDead = this.#begin();
    const Records = batch.map(({ messageId, body, accountId }) => deliveryOf(body, messageId, accountId));
    const back = new Set(handedBack(await this.#worker.pace({ Records })));
    if (isDead()) return;
    this.hops += 1;
    const isKept = ({ messageId }: Waiting): boolean => back.has(messageId) || this.#random() < rates.deleteLost;
    const done = new Set(batch.filter((message) => !isKept(message)));
    this.#waiting = this.#waiting.filter((message) => !done.has(message));
  }

  #redrive(): void {
    const nowMs = this.#worker.clock();
    this.redriven += this.#dead.length;
    for (const { body } of this.#dead) this.#put(body, nowMs);
    this.#dead = [];
  }

  /** Begins an invocation, whose process may die at one of its calls; the function tells whether it has. */
  #begin(): () => boolean {
    this.#callsLeft = this.#random() < rates.crash ? Math.floor(this.#random() * 8) / 2 : Number.POSITIVE_INFINITY;
    return () => this.#callsLeft <= 0;
  }

  #answer(call: SendCall): SendAnswer | Error {
    const of = call.queueUrl === queues.pacing ? 'pacing' : 'dispatch';
    const nowMs = this.#worker.clock();
    const act = (): SendAnswer => {
      for (const { MessageBody = '', DelaySeconds = 0 } of call.entries) {
        const atMs = nowMs + DelaySeconds * 1000;
        if (of === 'pacing') this.#put(MessageBody, atMs);
        else this.arrived.push({ ...Dispatch.assert(JSON.parse(MessageBody)), arrivedAtMs: atMs });
      }
      return taken(call.entries);
    };
    const fate = this.#fateOf(of);
    const answer = fate === 'not done' ? undefined : act();
    return fate === 'done' && answer !== undefined ? answer : new Error(`no answer from ${of}`);
  }

  async #call<T>(of: Outage['of'], act: () => Promise<T>): Promise<T> {
    const fate = this.#fateOf(of);
    const answer = fate === 'not done' ? undefined : await act();
    if (fate !== 'done' || answer === undefined) throw new Error(`no answer from ${of}`);
    return answer;
  }

  /** A dead process calls nobody; one that dies at a call may die before or after the service has done it. */
  #fateOf(of: Outage['of']): 'done' | 'done, not told' | 'not done' {
    const nowMs = this.#worker.clock();
    const left = this.#callsLeft;
    this.#callsLeft -= 1;
    if (left <= 0) return 'not done';
    if (this.#options.outages.some((one) => one.of === of && one.fromMs <= nowMs && nowMs < one.toMs))
      return 'not done';
    return left === 0.5 || this.#random() < rates.replyLost ? 'done, not told' : 'done';
  }

  #put(body: string, visibleAtMs: number): void {
    const { bookingId, chunk, accountId } = Pacing.assert(JSON.parse(body));
    const messageId = `p-${this.#serial++}`;
    this.#waiting.push({ messageId, accountId, chunkId: `${bookingId}#${chunk}`, body, visibleAtMs, receives: 0 });
  }
}

/** Random numbers in [0, 1) from a seed (mulberry32). */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
