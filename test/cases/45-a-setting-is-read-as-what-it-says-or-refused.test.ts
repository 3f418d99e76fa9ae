import { expect, test } from 'vitest';
import { InvalidContextError, readDeployment } from '../../infra/lib/config.ts';

const jwtIssuer = 'https://issuer.example.com/';
/** The deployment that `cdk -c jwtAudience=<text>` makes: the CLI hands over the text behind the first `=`. */
const withAudience = (jwtAudience: string) => readDeployment({ jwtIssuer, jwtAudience });

test.each(['["a","b"]', ' [ "a" , "b" ] ', 'a,b', 'a, b'])('case 45: -c jwtAudience=%s is two audiences', (text) => {
  expect(withAudience(text).jwtAudience).toEqual(['a', 'b']);
});

test.each(['["a"', "['a','b']", '{"0":"a"}', '"a"', 'a;b', 'a b', '[["a"]]', '[]', '', '["a",""]', '["a,b"]'])(
  'case 45: -c jwtAudience=%s is refused',
  (text) => {
    expect(() => withAudience(text)).toThrow(InvalidContextError);
    expect(() => withAudience(text)).toThrow('jwtAudience');
  },
);

test.each([
  ['submissionBurst', ['1e3', ' 200 ', '0x10', 'true', '']],
  ['submissionRefill', ['1e3', '.5', '5.', '1,5', 'Infinity']],
  ['reserveConcurrency', ['no', '0', 'False', '']],
  ['alarmEmail', [' a@example.com', 'a@example.com,b@example.com']],
  ['stage', ['Prod', 'prod ', 'production']],
  ['defaultPolicy', ['[]', '"dailyLimit=5"', '{"dailyLimt":5}', '{dailyLimit:5}']],
])('case 45: %s is refused where it could mean something else', (name, texts) => {
  for (const text of texts) {
    expect(() => readDeployment({ jwtIssuer, jwtAudience: 'a', [name]: text }), text).toThrow(name);
  }
});

test('case 45: a key that nobody knows is refused, and the one that is meant is named', () => {
  const misspelt = () => readDeployment({ jwtIssuer, jwtAudience: 'a', authorisationScopes: 'bookings' });
  expect(misspelt).toThrow('authorisationScopes is no setting; did you mean authorizationScopes?');
});
