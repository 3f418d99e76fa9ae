import { builtInPolicy } from '@usher/limiter-core/bulk';
import { type } from 'arktype';
import { expect, test } from 'vitest';
import { DefaultPolicy, InvalidConfigError, readEnvironment } from './environment.ts';

const Environment = type({ USHER_TABLE: 'string > 0', 'USHER_DEFAULT_POLICY?': DefaultPolicy });

test('a variable that is undefined is not there, and what the schema does not know is ignored', () => {
  const read = readEnvironment(Environment, { USHER_TABLE: 'usher', USHER_DEFAULT_POLICY: undefined, PATH: '/bin' });
  expect(read.USHER_TABLE).toBe('usher');
  expect(read.USHER_DEFAULT_POLICY).toBeUndefined();
});

test('the default policy is laid over the built-in one', () => {
  const read = readEnvironment(Environment, { USHER_TABLE: 'usher', USHER_DEFAULT_POLICY: '{"dailyLimit":7}' });
  expect(read.USHER_DEFAULT_POLICY).toEqual({ ...builtInPolicy, dailyLimit: 7 });
});

test.each([
  ['{', 'USHER_DEFAULT_POLICY must be JSON text'],
  ['7', 'USHER_DEFAULT_POLICY must be an object'],
  ['{"dailyLimit":-1}', 'USHER_DEFAULT_POLICY dailyLimit'],
  ['{"limit":1}', 'USHER_DEFAULT_POLICY limit'],
])('a default policy of %s is refused by the name of the variable', (text, problem) => {
  const read = (): unknown => readEnvironment(Environment, { USHER_TABLE: 'usher', USHER_DEFAULT_POLICY: text });
  expect(read).toThrow(InvalidConfigError);
  expect(read).toThrow(problem);
});
