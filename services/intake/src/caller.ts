import { AccountId } from '@usher/contracts';
import type { Context } from 'hono';

/** Who asks: the account whose quota is spent, and what the token allows beyond that. */
export interface Caller {
  readonly accountId: AccountId;
  readonly scopes: ReadonlySet<string>;
}

/** No caller at all, or a caller without a usable account. */
export type NoCaller = 'unauthenticated' | 'forbidden';

/** Finds the caller of a request. What proves identity differs by host, so each host brings its own. */
export type Authenticate = (context: Context) => Caller | NoCaller;

/** What a token must allow for the routes of operators. */
export const operatorScope = 'usher:operator';

/** The caller with an account, where that is a well-formed id; anything else may not act. */
export function callerOf(accountId: unknown, scopes: Iterable<string>): Caller | 'forbidden' {
  return AccountId.allows(accountId) ? { accountId, scopes: new Set(scopes) } : 'forbidden';
}
