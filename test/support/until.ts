import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Asks again and again until there is an answer, so many times. No deadline ends it: a slow machine asks more slowly, as
 * it also does slowly what is waited for.
 *
 * @param what the sentence that is thrown where there is none
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined>,
  { tries = 1_000, pauseMs = 100 }: { readonly tries?: number; readonly pauseMs?: number } = {},
): Promise<T> {
  for (let asked = 1; ; asked++) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (asked === tries) throw new Error(`Not after asking ${tries} times: ${what}`);
    await sleep(pauseMs);
  }
}

/** Asks until the answer is yes, as {@link until} does. */
export async function untilTrue(
  what: string,
  ask: () => Promise<boolean>,
  bounds: { readonly tries?: number; readonly pauseMs?: number } = {},
): Promise<void> {
  await until(what, async () => ((await ask()) ? true : undefined), bounds);
}
