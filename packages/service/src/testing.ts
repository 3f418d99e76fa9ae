import type { Log, LogFields } from './log.ts';
import type { Meter } from './meter.ts';

/** An entry of a recording log. */
export interface LogEntry {
  readonly level: keyof Log;
  readonly message: string;
  readonly fields: LogFields;
}

/** A log that keeps its entries, in order. */
export function recordingLog(entries: LogEntry[]): Log {
  const at =
    (level: keyof Log) =>
    (message: string, fields: LogFields): void =>
      void entries.push({ level, message, fields });
  return { info: at('info'), warn: at('warn'), error: at('error') };
}

/** A meter that keeps the sum of each metric, durations in milliseconds. */
export function recordingMeter(sums: Map<string, number>): Meter {
  const add = (metric: string, value: number): void => void sums.set(metric, (sums.get(metric) ?? 0) + value);
  return { count: add, time: add };
}
