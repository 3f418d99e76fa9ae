import { setTimeout as delay } from 'node:timers/promises';

/** The way a run waits, and the signal that ends it. */
export interface Patience {
  /** Aborted when the run is to stop: whatever is under way then rejects. */
  readonly signal: AbortSignal;
  pause(ms: number): Promise<void>;
}

/** Waits by the machine's own timers until the signal ends it. */
export function patienceUntil(signal: AbortSignal): Patience {
  return { signal, pause: (ms) => delay(ms, undefined, { signal }) };
}
