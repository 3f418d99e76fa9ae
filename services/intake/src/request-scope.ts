import { AsyncLocalStorage } from 'node:async_hooks';
import type { Log } from '@usher/service';

/** The fields of every line logged about a request: its id, and its account once that is known. */
export interface RequestScope {
  readonly requestId: string;
  accountId?: string;
}

/** The scope of the request that the running code works for; none outside of requests. */
export const requestScope = new AsyncLocalStorage<RequestScope>();

/** A log whose lines have the fields of the scope that they are written in. */
export function scopedLog(log: Log): Log {
  const at =
    (level: keyof Log) =>
    (message: string, fields: Record<string, unknown>): void =>
      log[level](message, { ...requestScope.getStore(), ...fields });
  return { info: at('info'), warn: at('warn'), error: at('error') };
}
