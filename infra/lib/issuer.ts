/** The path of OIDC discovery below an issuer; a part of no issuer. */
const discovery = '/.well-known/';

/** Hosts of issuers whose `iss` is known to end with a slash. */
const endWithSlash = [/(^|\.)auth0\.com$/, /^sts\.windows\.net$/];
/** Hosts of issuers whose `iss` is known to end without one. */
const endWithoutSlash = [/^cognito-idp\.[a-z0-9-]+\.amazonaws\.com$/, /^accounts\.google\.com$/, /(^|\.)okta\.com$/];

function isOneOf(hosts: readonly RegExp[], hostname: string): boolean {
  return hosts.some((host) => host.test(hostname));
}

/**
 * An issuer's fault: what it should be, where it cannot be the `iss` of a token, which API Gateway compares letter by
 * letter (RFC 7519, section 4.1.1). `undefined` where it may be one.
 */
export function issuerFault(text: string, { loopback }: { readonly loopback: boolean }): string | undefined {
  const trimmed = text.trim();
  if (trimmed !== text) return `a URL without spaces around it: ${trimmed}`;
  const url = URL.parse(text);
  if (url === null) return 'a URL, the `iss` of the tokens to the letter';
  const isLocal = loopback && ['127.0.0.1', 'localhost'].includes(url.hostname);
  // Keys fetched over plain HTTP can be anybody's.
  if (url.protocol !== 'https:' && !(url.protocol === 'http:' && isLocal)) return 'an https URL';
  if (text.includes('?') || text.includes('#') || url.username !== '' || url.password !== '') {
    return 'a URL without query, fragment or credentials (OpenID Connect Core, section 2)';
  }
  if (text.includes(discovery)) {
    return `the value of "issuer" in that document, most likely ${text.slice(0, text.indexOf(discovery))}`;
  }
  // What a parser would write otherwise (`HTTPS:`, `:443`, tabs, `..`) is equal to no token's `iss`.
  if (url.href !== text && url.href !== `${text}/`) return `written as ${url.href}`;
  if (isOneOf(endWithSlash, url.hostname) && !text.endsWith('/')) return `with its final slash: ${text}/`;
  if (isOneOf(endWithoutSlash, url.hostname) && text.endsWith('/'))
    return `without a final slash: ${text.slice(0, -1)}`;
  return undefined;
}

/** A warning about an issuer that may be right: only its tokens tell whether `iss` ends with a slash. */
export function issuerWarning(text: string): string | undefined {
  const { pathname, hostname } = new URL(text);
  if (pathname !== '/' || text.endsWith('/') || isOneOf(endWithoutSlash, hostname)) return undefined;
  return (
    `jwtIssuer ${text} has no final slash. It has to be the tokens' \`iss\` to the letter: compare it with "issuer" in ` +
    `${text}/.well-known/openid-configuration`
  );
}
