import { OAuth2Server } from 'oauth2-mock-server';

/** A running OpenID Connect issuer. */
export interface Issuer {
  readonly url: string;
  /** Its signing key, the private part included, so that tests make tokens of their own. */
  readonly key: Record<string, unknown>;
  stop(): Promise<void>;
}

/** Starts an issuer on loopback, whose keys API Gateway finds by OIDC discovery. */
export async function startIssuer(): Promise<Issuer> {
  const server = new OAuth2Server();
  await server.issuer.keys.generate('RS256');
  await server.start(0, '127.0.0.1');
  // By default it calls itself localhost, which may be another address.
  const url = `http://127.0.0.1:${server.address().port}`;
  server.issuer.url = url;
  const [key] = server.issuer.keys.toJSON(true);
  if (key === undefined) throw new Error('The issuer made no key');
  return { url, key, stop: () => server.stop() };
}
