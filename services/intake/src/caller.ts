import { AccountId } from '@usher/contracts';
import type { Context } from 'hono';

/** The caller of a request: the account whose quota it spends. */
export interface Caller {
  readonly accountId: AccountId;
}

/** No caller at all, or a caller without a usable account. */
export type NoCaller = 'unauthenticated' | 'forbidden';

/** Finds the caller of a request. Each host has its own proof of identity, so each brings its own function. */
export type Authenticate = (context: Context) => Caller | NoCaller;

/** The caller with an account, where that is a well-formed id; anything else may not act. */
export function callerOf(accountId: unknown): Caller | 'forbidden' {
  return AccountId.allows(accountId) ? { accountId } : 'forbidden';
}
