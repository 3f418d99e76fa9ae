import { StoreUnavailableError } from './errors.ts';
import type { Timer } from './timer.ts';

/**
 * One deadline over whatever a call does. Its signal is aborted then, and what comes after is not waited for.
 *
 * By hand, as every check on a remote store passes here: a race, and a signal that ends the timer, cost three times as much.
 *
 * @throws StoreUnavailableError where it did not answer in time
 */
export function withinDeadline<T>(
  call: (signal: AbortSignal) => Promise<T>,
  { deadlineMs, timer }: { readonly deadlineMs: number; readonly timer: Timer },
): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = new AbortController();
    const answer = Promise.resolve(call(abort.signal));
    const late = (): void => {
      const error = new StoreUnavailableError(`no answer within ${deadlineMs} ms`);
      abort.abort(error);
      reject(error);
    };
    answer.then(
      (value) => {
        stop();
        resolve(value);
      },
      (error) => {
        stop();
        reject(error);
      },
    );
    // After the answer: one that is there counts, even where the pause is over at once, or fails.
    const stop = timer(deadlineMs, late, reject);
  });
}
