import { AsyncLocalStorage } from 'node:async_hooks';
import type { Log } from '@usher/service';

/** What every line that is logged about a request tells: its id, and its account once that is known. */
export interface RequestScope {
  readonly requestId: string;
  accountId?: string;
}

/** The request that the running code works for. Outside of one there is none, and lines are logged as they are. */
export const requestScope = new AsyncLocalStorage<RequestScope>();

/** A log whose lines name the request and the account that they belong to. */
export function scopedLog(log: Log): Log {
  const at =
    (level: keyof Log) =>
    (message: string, fields: Record<string, unknown>): void =>
      log[level](message, { ...requestScope.getStore(), ...fields });
  return { info: at('info'), warn: at('warn'), error: at('error') };
}
