import type { Log } from '@usher/service';

/** One line an entry: level, message, fields as JSON. What is only of interest in a search (`info`) is left out. */
export function createStackLog(write: (line: string) => void): Log {
  const entry = (level: string) => (message: string, fields: Record<string, unknown>) =>
    write(`${level} ${message} ${JSON.stringify(fields)}`);
  return { info: () => {}, warn: entry('warn'), error: entry('error') };
}
