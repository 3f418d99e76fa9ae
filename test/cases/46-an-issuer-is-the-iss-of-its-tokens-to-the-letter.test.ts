import { expect, test } from 'vitest';
import { readDeployment } from '../../infra/lib/config.ts';
import { issuerWarning } from '../../infra/lib/issuer.ts';

const withIssuer = (jwtIssuer: string) => readDeployment({ jwtIssuer, jwtAudience: 'usher' });

test.each([
  [' https://issuer.example.com/', 'without spaces around it: https://issuer.example.com/'],
  ['https://issuer.example.com/ ', 'without spaces around it: https://issuer.example.com/'],
  ['https://issuer.example.com/.well-known/openid-configuration', 'the value of "issuer" in that document'],
  ['https://issuer.example.com/.well-known/jwks.json', 'the value of "issuer" in that document'],
  ['https://tenant.auth0.com', 'with its final slash: https://tenant.auth0.com/'],
  ['HTTPS://issuer.example.com/', 'written as https://issuer.example.com/'],
])('case 46: %j is refused, and the right one is named', (text, expected) => {
  expect(() => withIssuer(text)).toThrow(`jwtIssuer must be`);
  expect(() => withIssuer(text)).toThrow(expected);
});

test('case 46: a missing final slash that only the tokens can tell of is warned about', () => {
  const { jwtIssuer } = withIssuer('https://issuer.example.com');
  expect(issuerWarning(jwtIssuer)).toContain('https://issuer.example.com/.well-known/openid-configuration');
});
