import type { Log } from '@usher/service';

/** A log of one line an entry: level, message, fields as JSON. `info`, of interest only in a search, is left out. */
export function createStackLog(write: (line: string) => void): Log {
  const entry = (level: string) => (message: string, fields: Record<string, unknown>) =>
    write(`${level} ${message} ${JSON.stringify(fields)}`);
  return { info: () => {}, warn: entry('warn'), error: entry('error') };
}
