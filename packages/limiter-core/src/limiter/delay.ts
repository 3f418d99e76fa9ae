/** A pause of `ms` milliseconds. It rejects with the signal's reason once that is aborted. */
export type Delay = (ms: number, signal?: AbortSignal) => Promise<void>;

/** The longest that a timer of the runtime can be set to: a longer one would fire at once. */
export const maxTimerMs = 2_147_483_647;

/** The runtime's own timer. */
export const systemDelay: Delay = (ms, signal) =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      },
      Math.min(ms, maxTimerMs),
    );
    signal?.addEventListener('abort', onAbort, { once: true });
  });
