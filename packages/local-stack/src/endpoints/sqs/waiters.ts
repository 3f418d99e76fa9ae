type Waker = () => void;

/** Those who wait at a queue for something to receive. */
export interface Waiters {
  /** Says that something may have become receivable. Wakes on the next turn, so that a burst of sends is one batch. */
  notify(queueName: string): void;
  /** Has everyone look again: for a clock that was moved, which no timer notices. */
  notifyAll(): void;
  /** Resolves when notified, after `ms` milliseconds at the latest, or when the signal aborts. */
  wait(queueName: string, ms: number, signal: AbortSignal): Promise<void>;
}

export function createWaiters(): Waiters {
  const waiting = new Map<string, Set<Waker>>();
  const notified = new Set<string>();

  function wake(): void {
    const names = [...notified];
    notified.clear();
    for (const name of names) for (const waker of waiting.get(name) ?? []) waker();
  }

  function notify(queueName: string): void {
    if (!waiting.has(queueName)) return;
    if (notified.size === 0) setImmediate(wake);
    notified.add(queueName);
  }

  return {
    notify,
    notifyAll: () => {
      for (const queueName of waiting.keys()) notify(queueName);
    },
    wait: (queueName, ms, signal) =>
      new Promise((resolve) => {
        const wakers = waiting.get(queueName) ?? new Set<Waker>();
        waiting.set(queueName, wakers);
        const done = (): void => {
          clearTimeout(timer);
          signal.removeEventListener('abort', done);
          wakers.delete(done);
          if (wakers.size === 0 && waiting.get(queueName) === wakers) waiting.delete(queueName);
          resolve();
        };
        const timer = setTimeout(done, ms);
        signal.addEventListener('abort', done);
        wakers.add(done);
        if (signal.aborted) done();
      }),
  };
}
