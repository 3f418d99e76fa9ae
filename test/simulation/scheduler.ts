import type { Prng } from './prng.ts';

interface Event {
  readonly atMs: number;
  readonly tie: number;
  readonly run: () => void;
}

/** A run made more events than any healthy one does: something goes round in circles. */
export class NoRestError extends Error {
  override readonly name = 'NoRestError';
}

/**
 * Virtual time. Everything that a run waits for is an event here; events of one instant go in random order, and between
 * two events all code that can go on does. So one seed gives one interleaving, and nothing waits for a real clock.
 */
export class Scheduler {
  nowMs: number;
  events = 0;
  readonly #prng: Prng;
  readonly #maxEvents: number;
  /** A binary heap, the next event first. */
  readonly #heap: Event[] = [];

  constructor(prng: Prng, startMs: number, maxEvents: number) {
    this.#prng = prng;
    this.nowMs = startMs;
    this.#maxEvents = maxEvents;
  }

  after(delayMs: number, run: () => void): void {
    this.#push({ atMs: this.nowMs + Math.max(0, delayMs), tie: this.#prng.random(), run });
  }

  at(instantMs: number, run: () => void): void {
    this.after(instantMs - this.nowMs, run);
  }

  sleep(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.after(delayMs, resolve));
  }

  /** Lets time pass until nothing is left to happen or `isDone` says so. */
  async run(isDone: () => boolean = () => false): Promise<void> {
    await settled();
    for (let event = this.#pop(); event !== undefined; event = this.#pop()) {
      if (++this.events > this.#maxEvents) throw new NoRestError(`no rest after ${this.#maxEvents} events`);
      this.nowMs = event.atMs;
      event.run();
      await settled();
      if (isDone()) return;
    }
  }

  #push(event: Event): void {
    const heap = this.#heap;
    let i = heap.push(event) - 1;
    while (i > 0) {
      const up = (i - 1) >> 1;
      const parent = heap[up];
      if (parent === undefined || !isBefore(event, parent)) break;
      heap[i] = parent;
      i = up;
    }
    heap[i] = event;
  }

  #pop(): Event | undefined {
    const heap = this.#heap;
    const [first] = heap;
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let i = 0;
    for (;;) {
      const [left, right] = [heap[2 * i + 1], heap[2 * i + 2]];
      if (left === undefined) break;
      const [child, at] = right !== undefined && isBefore(right, left) ? [right, 2 * i + 2] : [left, 2 * i + 1];
      if (!isBefore(child, last)) break;
      heap[i] = child;
      i = at;
    }
    heap[i] = last;
    return first;
  }
}

function isBefore(a: Event, b: Event): boolean {
  return a.atMs < b.atMs || (a.atMs === b.atMs && a.tie < b.tie);
}

/** Resolves once all microtasks have run; no code under simulation waits for anything but microtasks and events. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
