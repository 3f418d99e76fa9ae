import { setImmediate as nextTurn } from 'node:timers/promises';

/** Time that passes only from event to event. */
export interface VirtualTime {
  /** Milliseconds since the Unix epoch. */
  readonly clock: () => number;
  sleep(ms: number): Promise<void>;
  /** Lets time pass until the work is done, and answers what it answers. */
  runUntil<T>(work: Promise<T>): Promise<T>;
}

/** Begins at an instant. Of events at one instant the one that was set first comes first. */
export function virtualTime(startMs: number): VirtualTime {
  let nowMs = startMs;
  const events: { readonly atMs: number; readonly wake: () => void }[] = [];
  const sleep = (ms: number): Promise<void> =>
    new Promise((wake) => {
      const atMs = nowMs + ms;
      const later = events.findIndex((event) => event.atMs > atMs);
      events.splice(later === -1 ? events.length : later, 0, { atMs, wake });
    });
  const runUntil = async <T>(work: Promise<T>): Promise<T> => {
    let isDone = false;
    const done = work.finally(() => {
      isDone = true;
    });
    // Whoever waits for the result sees its failure.
    done.catch(() => undefined);
    for (;;) {
      // All that can go on at this instant does: none of it waits for more than promises.
      await nextTurn();
      if (isDone) return done;
      const next = events.shift();
      if (next === undefined) throw new Error('The work waits for something, and no event is left.');
      nowMs = next.atMs;
      next.wake();
    }
  };
  return { clock: () => nowMs, sleep, runUntil };
}
