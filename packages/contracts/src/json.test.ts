import fc from 'fast-check';
import { expect, test } from 'vitest';
import { InexactNumber, isExactNumber, jsonMaxDepth, parseJson } from './json.ts';

test.for([
  ['0', true],
  ['-0', true],
  ['0.0e5', true],
  ['1.10', true],
  ['1e2', true],
  ['1E+2', true],
  ['100e-2', true],
  ['0.1', true],
  ['1e23', true],
  ['123456789012345680000', true],
  ['9007199254740992', true],
  ['9007199254740993', false],
  ['0.1000000000000000055', false],
  ['1e400', false],
  ['-1e400', false],
  ['1e-400', false],
  ['123456789012345678901234567890', false],
] as const)('%s is held exactly by a double: %s', ([source, exact]) => {
  expect(isExactNumber(source)).toBe(exact);
});

test('every double is held exactly in every way that JavaScript writes it', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      expect(isExactNumber(String(value))).toBe(true);
      expect(isExactNumber(value.toExponential())).toBe(true);
    }),
  );
});

test('JSON reads back as it was written', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const text = JSON.stringify(value);
      expect(parseJson(text)).toEqual({ kind: 'value', value: JSON.parse(text) });
    }),
  );
});

test('a number that no double holds is no number any more', () => {
  expect(parseJson('{"a":[1,1e400]}')).toEqual({ kind: 'value', value: { a: [1, new InexactNumber()] } });
});

test('a number is kept in every place where a double holds it, however it is written, and in no other', () => {
  const digits = (maxLength: number) => fc.stringMatching(new RegExp(`^[1-9][0-9]{0,${maxLength}}$`));
  const number = fc
    .tuple(fc.constantFrom('', '-'), digits(24), fc.option(digits(24)), fc.option(fc.integer({ min: -400, max: 400 })))
    .map(([sign, whole, fraction, exponent]) =>
      [sign, whole, fraction === null ? '' : `.${fraction}`, exponent === null ? '' : `E${exponent}`].join(''),
    );
  fc.assert(
    fc.property(fc.array(number), fc.string(), (numbers, text) => {
      const source = `{${JSON.stringify(text)}:[${numbers.join(' , ')}]}`;
      const value = { [text]: numbers.map((one) => (isExactNumber(one) ? Number(one) : new InexactNumber())) };
      expect(parseJson(source)).toEqual({ kind: 'value', value });
    }),
  );
});

test('names of Object.prototype are data', () => {
  const parsed = parseJson('{"__proto__":{"polluted":1},"constructor":2}');
  const value: unknown = parsed.kind === 'value' ? parsed.value : undefined;
  expect(JSON.stringify(value)).toBe('{"__proto__":{"polluted":1},"constructor":2}');
  expect('polluted' in {}).toBe(false);
});

test('depth is bounded before anything walks the text; brackets in strings do not count', () => {
  const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
  expect(parseJson(nested(jsonMaxDepth)).kind).toBe('value');
  expect(parseJson(nested(jsonMaxDepth + 1)).kind).toBe('too_deep');
  expect(parseJson(nested(2_000_000)).kind).toBe('too_deep');
  expect(parseJson('['.repeat(2_000_000)).kind).toBe('syntax');
  expect(parseJson(JSON.stringify(`\\"${'['.repeat(5000)}`)).kind).toBe('value');
});

test.for(['', '{', '{"a":1,}', "{'a':1}", 'NaN', '01', '"\u0001"', '{} {}'])('%j is no JSON', (text) => {
  expect(parseJson(text)).toEqual({ kind: 'syntax' });
});
