import type { Delay } from './delay.ts';
import { StoreUnavailableError } from './errors.ts';

/** The reason to end a deadline's timer: one for all, as an abort without a reason makes an error with a stack. */
const isOver = new Error('The call is over');

/**
 * One deadline over whatever a call does. Its signal is aborted then, and what comes after is not waited for.
 *
 * @throws StoreUnavailableError where it did not answer in time
 */
export async function withinDeadline<T>(
  call: (signal: AbortSignal) => Promise<T>,
  { deadlineMs, delay }: { readonly deadlineMs: number; readonly delay: Delay },
): Promise<T> {
  const abort = new AbortController();
  const done = new AbortController();
  const late = async (): Promise<never> => {
    await delay(deadlineMs, done.signal);
    const error = new StoreUnavailableError(`no answer within ${deadlineMs} ms`);
    abort.abort(error);
    throw error;
  };
  try {
    return await Promise.race([call(abort.signal), late()]);
  } finally {
    done.abort(isOver);
  }
}
