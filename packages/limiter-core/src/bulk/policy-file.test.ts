import { describe, expect, test } from 'vitest';
import { InvalidPolicyError } from '../errors.ts';
import { builtInPolicy } from './policy.ts';
import { readPolicyFile, resolvePolicy } from './policy-file.ts';

/** One bad policy for each rule, and the field that its message must name. */
const bad: { rule: string; overrides: unknown; names: string }[] = [
  { rule: 'a policy is an object', overrides: 5, names: 'must be an object' },
  { rule: 'a policy is no array', overrides: [], names: 'must be an object' },
  { rule: 'a policy is not null', overrides: null, names: 'must be an object' },
  { rule: 'fields are known', overrides: { dailyLimt: 5 }, names: 'dailyLimt' },
  { rule: 'constructor is no field', overrides: { constructor: 5 }, names: 'constructor' },
  { rule: '__proto__ is no field', overrides: JSON.parse('{"__proto__":{"dailyLimit":5}}'), names: '__proto__' },
  { rule: 'dailyLimit is a number', overrides: { dailyLimit: '5' }, names: 'dailyLimit must be a number' },
  { rule: 'dailyLimit is whole', overrides: { dailyLimit: 1.5 }, names: 'dailyLimit must be an integer' },
  { rule: 'dailyLimit is not negative', overrides: { dailyLimit: -1 }, names: 'dailyLimit must be non-negative' },
  {
    rule: 'dailyLimit is bounded',
    overrides: { dailyLimit: 1e11 + 1 },
    names: 'dailyLimit must be at most 100000000000',
  },
  { rule: 'dailyLimit is not undefined', overrides: { dailyLimit: undefined }, names: 'dailyLimit' },
  {
    rule: 'refillPerSecond has a floor',
    overrides: { refillPerSecond: 0.05 },
    names: 'refillPerSecond must be at least 0.1',
  },
  {
    rule: 'refillPerSecond is bounded',
    overrides: { refillPerSecond: 1e7 },
    names: 'refillPerSecond must be at most 1000000',
  },
  { rule: 'refillPerSecond is a number', overrides: { refillPerSecond: Number.NaN }, names: 'refillPerSecond' },
  { rule: 'burst is at least 1', overrides: { burst: 0 }, names: 'burst must be at least 1' },
  { rule: 'burst is whole', overrides: { burst: 1.5 }, names: 'burst must be an integer' },
  { rule: 'burst is bounded', overrides: { burst: 1e9 + 1 }, names: 'burst must be at most 1000000000' },
  {
    rule: 'burst refills within 10⁹ seconds',
    overrides: { dailyLimit: 10, refillPerSecond: 0.1, burst: 100_000_001 },
    names: 'burst must be at most 100000000, what refills in 1000000000 seconds (was 100000001)',
  },
  { rule: 'timezone is a zone', overrides: { timezone: 'Mars/Olympus' }, names: 'timezone must be an IANA' },
  { rule: 'timezone is no offset', overrides: { timezone: '+02:00' }, names: 'timezone must be an IANA' },
  { rule: 'timezone is not empty', overrides: { timezone: '' }, names: 'timezone must be an IANA' },
  { rule: 'mode is one of two', overrides: { mode: 'shadow' }, names: 'mode must be "enforce" or "observe"' },
  { rule: 'thresholds are above 0', overrides: { thresholds: [0] }, names: 'thresholds[0]' },
  { rule: 'thresholds are at most 1', overrides: { thresholds: [0.5, 1.1] }, names: 'thresholds[1]' },
  { rule: 'thresholds ascend', overrides: { thresholds: [1, 0.8] }, names: 'thresholds must be ascending' },
  { rule: 'thresholds do not repeat', overrides: { thresholds: [0.8, 0.8] }, names: 'thresholds must be ascending' },
  {
    rule: 'thresholds are few',
    overrides: { thresholds: Array.from({ length: 17 }, (_, i) => (i + 1) / 17) },
    names: 'thresholds',
  },
];

test.each(bad)('a policy is refused by name where it breaks the rule that $rule', ({ overrides, names }) => {
  expect(() => resolvePolicy(builtInPolicy, overrides)).toThrow(InvalidPolicyError);
  expect(() => resolvePolicy(builtInPolicy, overrides)).toThrow(names);
});

test('all bad fields are named at once', () => {
  const resolve = (): unknown => resolvePolicy(builtInPolicy, { dailyLimit: -1, burst: 0 });
  expect(resolve).toThrow('dailyLimit');
  expect(resolve).toThrow('burst');
});

test('fields left out fall back, fields given replace, and the base is left as it was', () => {
  const before = structuredClone(builtInPolicy);
  expect(resolvePolicy(builtInPolicy, {})).toEqual(builtInPolicy);
  expect(resolvePolicy(builtInPolicy, { dailyLimit: 7, thresholds: [] })).toEqual({
    ...before,
    dailyLimit: 7,
    thresholds: [],
  });
  expect(builtInPolicy).toEqual(before);
});

test('the built-in policy passes its own rules, and its day is that of UTC', () => {
  expect(resolvePolicy(builtInPolicy, builtInPolicy)).toEqual(builtInPolicy);
  expect(builtInPolicy.timezone).toBe('UTC');
});

test('the day of an account may be that of any zone of the IANA database', () => {
  for (const timezone of ['Europe/Berlin', 'America/St_Johns', 'UTC']) {
    expect(resolvePolicy(builtInPolicy, { timezone }).timezone).toBe(timezone);
  }
});

test('a policy at every upper bound is accepted', () => {
  const most = { dailyLimit: 86_400 * 1e6 + 1e9, refillPerSecond: 1e6, burst: 1e9, thresholds: [1] };
  expect(resolvePolicy(builtInPolicy, most)).toMatchObject(most);
});

test('a limit that its own pace cannot hand on in a day is refused, and the one just below it is not', () => {
  const pace = { refillPerSecond: 1, burst: 10 };
  expect(resolvePolicy(builtInPolicy, { ...pace, dailyLimit: 86_410 }).dailyLimit).toBe(86_410);
  expect(() => resolvePolicy(builtInPolicy, { ...pace, dailyLimit: 86_411 })).toThrow('at most 86410');
  expect(() => resolvePolicy(builtInPolicy, { ...pace, dailyLimit: 86_411 })).toThrow('(was 86411)');
});

test('the rule holds for what overrides and default make together', () => {
  expect(() => resolvePolicy({ ...builtInPolicy, dailyLimit: 500_000 }, { refillPerSecond: 1 })).toThrow('dailyLimit');
});

describe('a policy file', () => {
  test('may be empty', () => {
    expect(readPolicyFile({})).toEqual({ defaultPolicy: builtInPolicy, overrides: new Map() });
  });

  test('gives a default and overrides by account', () => {
    const read = readPolicyFile({ default: { dailyLimit: 100 }, accounts: { acme: { burst: 5 } } });
    expect(read.defaultPolicy).toEqual({ ...builtInPolicy, dailyLimit: 100 });
    expect(resolvePolicy(read.defaultPolicy, read.overrides.get('acme'))).toMatchObject({ dailyLimit: 100, burst: 5 });
  });

  test.each([
    { file: 5, names: 'must be an object' },
    { file: { acounts: {} }, names: 'acounts' },
    { file: { default: { burst: 0 } }, names: 'default.burst' },
    { file: { default: { dailyLimit: 10_000_000 } }, names: 'default: dailyLimit must be at most' },
    { file: { accounts: { acme: { burst: 0 } } }, names: 'accounts.acme.burst' },
    { file: { accounts: { acme: { dailyLimit: 10_000_000 } } }, names: 'accounts.acme: dailyLimit must be at most' },
    { file: { accounts: { acme: 5 } }, names: 'accounts.acme must be an object' },
  ])('is refused with the place and the field: $names', ({ file, names }) => {
    expect(() => readPolicyFile(file)).toThrow(InvalidPolicyError);
    expect(() => readPolicyFile(file)).toThrow(names);
  });

  test('may name accounts like properties of every object, and pollutes nothing', () => {
    const ids = ['__proto__', 'constructor', 'toString', 'hasOwnProperty'];
    const text = `{"accounts":{${ids.map((id, i) => `"${id}":{"dailyLimit":${i + 1}}`).join(',')}}}`;
    const { overrides, defaultPolicy } = readPolicyFile(JSON.parse(text));
    expect([...overrides.keys()]).toEqual(ids);
    for (const [i, id] of ids.entries()) {
      expect(resolvePolicy(defaultPolicy, overrides.get(id)).dailyLimit).toBe(i + 1);
    }
    expect(Object.hasOwn(Object.prototype, 'dailyLimit')).toBe(false);
    expect(Object.getPrototypeOf(defaultPolicy)).toBe(Object.prototype);
  });

  test('checks accounts named like properties of every object too', () => {
    expect(() => readPolicyFile(JSON.parse('{"accounts":{"__proto__":{"dailyLimit":-5}}}'))).toThrow('dailyLimit');
  });

  test('asks nothing of the prototype: an account not in it has no overrides', () => {
    expect(readPolicyFile({ accounts: {} }).overrides.get('constructor')).toBeUndefined();
  });
});

test.each([[[]], [{ accounts: [] }], [{ default: [] }], [{ accounts: { ada: [] } }]])(
  'a list passes for no part of a policy file: %j',
  (file) => {
    expect(() => readPolicyFile(file)).toThrow('must be an object');
  },
);
