/**
 * A signal that is aborted once all of several are, so that a shared call goes on as long as anybody waits for it.
 * `release` ends the listening.
 */
export function allAborted(signals: readonly (AbortSignal | undefined)[]): {
  readonly signal: AbortSignal | undefined;
  release(): void;
} {
  const [first] = signals;
  if (signals.length === 1) return { signal: first, release: () => undefined };
  const heard: AbortSignal[] = [];
  for (const signal of signals) {
    if (signal === undefined) return { signal: undefined, release: () => undefined };
    if (!signal.aborted) heard.push(signal);
  }
  const controller = new AbortController();
  let waiting = heard.length;
  const onAbort = (): void => {
    waiting--;
    if (waiting === 0) controller.abort(first?.reason);
  };
  if (waiting === 0) controller.abort(first?.reason);
  for (const signal of heard) signal.addEventListener('abort', onAbort, { once: true });
  return {
    signal: controller.signal,
    release: () => {
      for (const signal of heard) signal.removeEventListener('abort', onAbort);
    },
  };
}
