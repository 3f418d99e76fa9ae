import { AccountId } from '@usher/contracts';
import { type } from 'arktype';

const scheme = /^Bearer dev:(?<accountId>.*)$/;

/**
 * The account that a development token names, `Authorization: Bearer dev:<accountId>`; undefined where there is none or
 * its account id is malformed. Anyone can write such a token: it is for a server that listens on loopback only, and no
 * Lambda bundle holds this file.
 */
export function accountOfDevToken(authorization: string | undefined): string | undefined {
  const accountId = AccountId(scheme.exec(authorization ?? '')?.groups?.accountId);
  return accountId instanceof type.errors ? undefined : accountId;
}
