import { describe, expect, test } from 'vitest';
import { accountOfDevToken } from './dev-token.ts';

describe('a development token', () => {
  test.each(['demo-agency', '__proto__', 'constructor', 'a.b_c@d|e-f', 'x'.repeat(128)])(
    'names the account %s',
    (id) => {
      expect(accountOfDevToken(`Bearer dev:${id}`)).toBe(id);
    },
  );

  test.each(['bearer dev:a', 'BEARER dev:a', 'bEaReR   dev:a'])('is read from %s: a scheme has no case', (header) => {
    expect(accountOfDevToken(header)).toBe('a');
  });

  test.each([
    ['a prefix in another case', 'Bearer DEV:a'],
    ['no space after the scheme', 'Bearerdev:a'],
    ['a tab after the scheme', 'Bearer\tdev:a'],
    ['two tokens', 'Bearer dev:a, Bearer dev:b'],
    ['two accounts', 'Bearer dev:a,dev:b'],
    ['no header', undefined],
    ['an empty header', ''],
    ['no account', 'Bearer dev:'],
    ['an account too long', `Bearer dev:${'x'.repeat(129)}`],
    ['a space in the account', 'Bearer dev:a b'],
    ['a key separator in the account', 'Bearer dev:a#b'],
    ['a line break after the account', 'Bearer dev:a\n'],
    ['another token', 'Bearer eyJhbGciOiJub25lIn0.e30.'],
    ['another scheme', 'Basic dev:a'],
    ['something before the scheme', 'x Bearer dev:a'],
  ])('with %s names none', (_, header) => {
    expect(accountOfDevToken(header)).toBeUndefined();
  });
});
