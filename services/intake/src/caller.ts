import { AccountId } from '@usher/contracts';
import type { Context } from 'hono';

/** The one who asks, as the account whose quota is spent. */
export interface Caller {
  readonly accountId: AccountId;
}

/** No caller at all, or a caller without a usable account. */
export type NoCaller = 'unauthenticated' | 'forbidden';

/** Finds the caller of a request. What proves identity differs by host, so each host brings its own. */
export type Authenticate = (context: Context) => Caller | NoCaller;

/** The caller with an account, where that is a well-formed id; anything else may not act. */
export function callerOf(accountId: unknown): Caller | 'forbidden' {
  return AccountId.allows(accountId) ? { accountId } : 'forbidden';
}
