import { expect, test } from 'vitest';
import { issuerFault, issuerWarning } from './issuer.ts';

const fault = (text: string): string | undefined => issuerFault(text, { loopback: false });

test.each([
  'https://issuer.example.com/',
  'https://issuer.example.com',
  'https://tenant.eu.auth0.com/',
  'https://cognito-idp.eu-central-1.amazonaws.com/eu-central-1_AbCdEfGhI',
  'https://accounts.google.com',
  'https://login.microsoftonline.com/72f988bf-86f1-41af-91ab-2d7cd011db47/v2.0',
  'https://example.com:8443/realms/partners',
])('%s may be an issuer', (text) => {
  expect(fault(text)).toBeUndefined();
});

test.each([
  ['https://issuer.example.com/.well-known/openid-configuration', 'most likely https://issuer.example.com'],
  [' https://issuer.example.com/', 'without spaces around it: https://issuer.example.com/'],
  ['https://issuer.example.com/\n', 'without spaces around it'],
  ['https://tenant.eu.auth0.com', 'final slash: https://tenant.eu.auth0.com/'],
  ['https://accounts.google.com/', 'without a final slash: https://accounts.google.com'],
  ['HTTPS://issuer.example.com/', 'written as https://issuer.example.com/'],
  ['https://Issuer.example.com/', 'written as https://issuer.example.com/'],
  ['https://issuer.example.com:443/', 'written as https://issuer.example.com/'],
  ['https://issuer.example.com/a/../b', 'written as https://issuer.example.com/b'],
  ['https:\\\\issuer.example.com', 'written as https://issuer.example.com/'],
  ['https://issuer.example.com/?tenant=a', 'without query'],
  ['https://issuer.example.com/#a', 'without query, fragment'],
  ['https://user:secret@issuer.example.com/', 'credentials'],
  ['http://issuer.example.com/', 'https'],
  ['issuer.example.com', 'a URL'],
])('%j is refused', (text, expected) => {
  expect(fault(text)).toContain(expected);
});

test('an issuer that may lack its final slash is warned about', () => {
  expect(issuerWarning('https://issuer.example.com')).toContain('no final slash');
  for (const sure of ['https://issuer.example.com/', 'https://accounts.google.com', 'https://example.com/realms/a']) {
    expect(issuerWarning(sure), sure).toBeUndefined();
  }
});
