import { OAuth2Issuer } from 'oauth2-mock-server';
import { inject } from 'vitest';
import { audience } from './harness/run.ts';

const { issuer } = inject('run');

/** Claims in place of a good token's; one given as undefined is left out. */
export type Claims = Readonly<Record<string, unknown>>;

/** A token of the deployment's issuer for an account, and for the API. */
export async function tokenOf(accountId: string, claims: Claims = {}): Promise<string> {
  return buildToken(await issuerWith(issuer.key), { sub: accountId, ...claims });
}

/** A token that claims everything a good one does, signed with a key of somebody else's under the same name. */
export async function forgedTokenOf(accountId: string): Promise<string> {
  const forger = await issuerWith(undefined);
  return buildToken(forger, { sub: accountId });
}

async function issuerWith(key: Readonly<Record<string, unknown>> | undefined): Promise<OAuth2Issuer> {
  const made = new OAuth2Issuer();
  made.url = issuer.url;
  if (key !== undefined) await made.keys.add({ ...key });
  else await made.keys.generate('RS256', { kid: String(issuer.key.kid) });
  return made;
}

function buildToken(from: OAuth2Issuer, claims: Claims): Promise<string> {
  return from.buildToken({
    expiresIn: 3600,
    scopesOrTransform: (_header, payload) => {
      for (const [name, value] of Object.entries({ aud: audience, ...claims })) payload[name] = value;
    },
  });
}
