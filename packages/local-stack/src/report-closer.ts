import type { Clock } from '@usher/limiter-core';

/** The time between two runs of the closer. */
const everyMs = 15 * 60_000;
/** The pause between two looks at the stack's clock, which a test or a demo may move. */
const lookMs = 1_000;

/** The schedule of the closer, by the stack's clock. */
export interface ReportCloser {
  /** Runs the closer now, after a run that is under way. */
  run(): Promise<void>;
  /** Ends the schedule and resolves when no run is under way. */
  stop(): Promise<void>;
}

/** Runs the closer at each quarter of an hour, as the scheduler would: one run at a time, and one that fails is followed by the next. */
export function scheduleCloser(options: {
  readonly close: () => Promise<unknown>;
  readonly clock: Clock;
  readonly onError: (error: unknown) => void;
}): ReportCloser {
  const { close, clock, onError } = options;
  let running: Promise<void> = Promise.resolve();
  let lastQuarter = quarterOf(clock());
  const run = (): Promise<void> => {
    const next = running.then(async () => void (await close()));
    running = next.catch(() => undefined);
    return next;
  };
  const timer = setInterval(() => {
    const quarter = quarterOf(clock());
    if (quarter === lastQuarter) return;
    lastQuarter = quarter;
    run().catch(onError);
  }, lookMs);
  return {
    run,
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}

function quarterOf(epochMs: number): number {
  return Math.floor(epochMs / everyMs);
}
