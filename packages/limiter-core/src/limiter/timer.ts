import { type Delay, maxTimerMs } from './delay.ts';

/** A timer that calls `end` after `ms` milliseconds, or `fail` where it cannot. It answers the function that stops it. */
export type Timer = (ms: number, end: () => void, fail: (error: unknown) => void) => () => void;

/** The reason to end a pause: one for all, as an abort without a reason makes an error with a stack. */
const isOver = new Error('The call is over');

/** The runtime's own timer. */
export const systemTimer: Timer = (ms, end) => {
  const timer = setTimeout(end, Math.min(ms, maxTimerMs));
  return () => clearTimeout(timer);
};

/** A timer by pauses. */
export function timerOf(delay: Delay): Timer {
  return (ms, end, fail) => {
    const abort = new AbortController();
    const pause = async (): Promise<void> => {
      await delay(ms, abort.signal);
    };
    pause().then(end, fail);
    return () => abort.abort(isOver);
  };
}
