import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fieldErrorsMax } from './field-errors.ts';
import { jsonMaxDepth, parseJson } from './json.ts';
import { InexactNumber, isExactNumber } from './json-number.ts';

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

test('text is JSON exactly where the platform says so, and then of the same value', () => {
  const byPlatform = (text: string): unknown => {
    try {
      return { kind: 'value', value: JSON.parse(text) };
    } catch {
      return { kind: 'syntax' };
    }
  };
  const piece = fc.constantFrom(
    ...['{', '}', '[', ']', ',', ':', '"', '"a"', '"b":', '\\', '\\u', '00e9', '\\n', '0', '-', '1.5', 'e', 'E+2', '.'],
    ...[
      'true',
      'false',
      'null',
      'nul',
      ' ',
      '\t',
      '\r\n',
      '\u0000',
      '\u00a0',
      '\ufeff',
      '\ud834',
      'é',
      '__proto__',
      '/',
    ],
  );
  const broken = fc
    .tuple(fc.json(), fc.nat(), fc.nat({ max: 3 }), fc.string({ unit: piece, maxLength: 3 }))
    .map(
      ([text, at, cut, put]) =>
        text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + cut),
    );
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: piece }), broken), (text) => {
      const parsed = parseJson(text);
      const { kind, value } = { value: undefined, ...parsed };
      const inexact = JSON.stringify(value)?.includes('"kind":"inexact"') ?? false;
      const same = kind === 'repeated_names' ? { kind: 'value', value } : parsed;
      if (!inexact) expect(same).toMatchObject(byPlatform(text) as object);
    }),
    { numRuns: 2000 },
  );
});

test.for([
  ['', 1, 1, 'a value'],
  ['{', 1, 2, 'a name in double quotes'],
  ['{"a":1,}', 1, 8, 'a name in double quotes'],
  ["{'a':1}", 1, 2, 'a name in double quotes'],
  ['NaN', 1, 1, 'a value'],
  ['[1,\n 2,\r\n  nul]', 3, 3, 'a value'],
  ['01', 1, 2, 'the end'],
  ['-', 1, 2, 'a digit'],
  ['[1.]', 1, 4, 'a digit'],
  ['[1e+]', 1, 5, 'a digit'],
  ['"\u0001"', 1, 2, 'an escape in the place of a control character'],
  ['"a', 1, 3, 'a double quote that ends the string'],
  ['"\\x"', 1, 3, 'one of the escapes of JSON'],
  ['"\\u12g4"', 1, 6, 'four hexadecimal digits'],
  ['["𝄞é",x]', 1, 7, 'a value'],
  ['{"a" 1}', 1, 6, 'a colon'],
  ['{"a":1 "b"}', 1, 8, 'a comma or "}"'],
  ['[1}', 1, 3, 'a comma or "]"'],
  ['{}\r{}', 2, 1, 'the end'],
] as const)('%j stops being JSON at line %i, column %i, for %s', ([text, line, column, expected]) => {
  expect(parseJson(text)).toEqual({ kind: 'syntax', line, column, expected });
});

const repeat = 'must be given once: the name is repeated';

test.for([
  ['{"a":1,"a":1}', '/a'],
  ['{"a":1,"\\u0061":2}', '/a'],
  ['{"__proto__":1,"b":2,"__proto__":1}', '/__proto__'],
  ['{"":1,"":2}', '/'],
  ['{"1":1,"1":2}', '/1'],
  ['[{},{"a":[0,{"b/c":{},"d":1,"b/c":1}]}]', '/1/a/1/b~1c'],
] as const)('%s has a name twice, at %s', ([text, pointer]) => {
  expect(parseJson(text)).toMatchObject({
    kind: 'repeated_names',
    errors: [{ pointer, detail: repeat }],
    errorCount: 1,
  });
});

test.for(['{"a":{"a":[{"a":1},{"a":1}]}}', '{"a":1,"A":2,"á":3}', '{"constructor":1,"toString":2}', '{"1":0,"01":0}'])(
  '%s has no name twice',
  (text) => {
    expect(parseJson(text).kind).toBe('value');
  },
);

test('many repeated names are counted no further than an answer lists', () => {
  const parsed = parseJson(`{"a":0${',"a":0'.repeat(5000)}}`);
  expect(parsed).toMatchObject({
    kind: 'repeated_names',
    errorCount: fieldErrorsMax,
    errors: { length: fieldErrorsMax },
  });
});

test('a repeated name that cannot be shown is told by the place of its object', () => {
  const parsed = parseJson('{"a":{"\\u0000":1,"\\u0000":2}}');
  const errors = [{ pointer: '/a', detail: 'must have no name more than once' }];
  expect(parsed).toMatchObject({ kind: 'repeated_names', errors });
});
