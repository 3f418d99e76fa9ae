import { AccountId } from '@usher/contracts';
import { type Authenticate, callerOf } from '@usher/intake';
import { type } from 'arktype';

/** A scheme and a token (RFC 9110, 11.4): one space or more between, and the scheme in any case. */
const credentials = /^bearer +(?<token>[^ ]*)$/i;
const prefix = 'dev:';

/**
 * The account that a development token names, `Authorization: Bearer dev:<accountId>`; undefined where there is none or
 * its account id is malformed. Anyone can write such a token: it is for a server that listens on loopback only, and no
 * Lambda bundle holds this file.
 */
export function accountOfDevToken(authorization: string | undefined): string | undefined {
  const token = credentials.exec(authorization ?? '')?.groups?.token;
  if (!token?.startsWith(prefix)) return undefined;
  const accountId = AccountId(token.slice(prefix.length));
  return accountId instanceof type.errors ? undefined : accountId;
}

/** Finds the caller that a development token names; no such token is no caller. */
export const devTokenCaller: Authenticate = (context) => {
  const accountId = accountOfDevToken(context.req.header('Authorization'));
  return accountId === undefined ? 'unauthenticated' : callerOf(accountId);
};
