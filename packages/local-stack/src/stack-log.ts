import type { Log } from '@usher/intake';

/** One line an entry: level, message, fields as JSON. What is only of interest in a search (`info`) is left out. */
export function createStackLog(write: (line: string) => void): Log {
  const entry = (level: string) => (message: string, fields: Record<string, unknown>) =>
    write(`${level} ${message} ${JSON.stringify(fields, errorsSpelled)}`);
  return { info: () => {}, warn: entry('warn'), error: entry('error') };
}

/** An Error has no own enumerable fields, so that JSON alone would show `{}`. */
function errorsSpelled(_: string, value: unknown): unknown {
  if (!(value instanceof Error)) return value;
  return { name: value.name, message: value.message, ...(value.cause === undefined ? {} : { cause: value.cause }) };
}
