import type { Log } from '@usher/service';

/** A log that writes nothing. */
export const silentLog: Log = { info: () => undefined, warn: () => undefined, error: () => undefined };
