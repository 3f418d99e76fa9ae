import { type } from 'arktype';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Details, detailsMaxBytes, detailsMaxDepth } from './details.ts';
import { parseJson } from './json.ts';

/** The path of the first fault of a JSON text's details; null where there is none. */
function faultAt(json: string): readonly PropertyKey[] | null {
  const parsed = parseJson(json);
  const read = Details(parsed.kind === 'value' ? parsed.value : undefined);
  return read instanceof type.errors ? [...(read[0]?.path ?? [])] : null;
}

test('any clean JSON object of 4 KiB is accepted, and none is changed', () => {
  const value = fc.dictionary(fc.string({ unit: 'grapheme-ascii' }), fc.jsonValue({ stringUnit: 'grapheme-ascii' }));
  fc.assert(
    fc.property(value, (details) => {
      fc.pre(JSON.stringify(details).length <= detailsMaxBytes);
      const before = JSON.stringify(details);
      expect(faultAt(before)).toBe(null);
      expect(JSON.stringify(Details.assert(JSON.parse(before)))).toBe(before);
    }),
  );
});

test('the size is that of the JSON without white space, in UTF-8 bytes', () => {
  const sized = (bytes: number) => `{ "n" : "${'é'.repeat((bytes - 8) / 2)}" }`;
  expect(faultAt(sized(detailsMaxBytes))).toBe(null);
  expect(faultAt(sized(detailsMaxBytes + 2))).toEqual([]);
});

test.for([
  ['[]', []],
  ['1e400', []],
  ['{"a":{"b":[0,"\\u0000"]}}', ['a', 'b', 1]],
  ['{"a":{"b\\ud800":1}}', ['a']],
  ['{"a":[1e400]}', ['a', 0]],
  ['{"__proto__":"\\u007f"}', ['__proto__']],
] as const)('%s is faulty at %j', ([json, path]) => {
  expect(faultAt(json)).toEqual(path);
});

test('values that are deep or endless in number are refused for that, not by running out of stack', () => {
  let deep: unknown = 1;
  for (let level = 0; level < 200_000; level++) deep = [deep];
  const expected = (details: object) => {
    const read = Details(details);
    return read instanceof type.errors && read[0]?.expected;
  };
  expect(expected({ deep })).toBe('nested at most 64 levels deep');
  expect(expected({ wide: new Array(5_000_000).fill(0) })).toBe('at most 4096 bytes of JSON');
});

test('the object itself is the first of its levels, and a value in the last is none', () => {
  const nested = (levels: number) => `{"n":${'['.repeat(levels - 1)}1${']'.repeat(levels - 1)}}`;
  expect(faultAt(nested(detailsMaxDepth))).toBe(null);
  expect(faultAt(nested(detailsMaxDepth + 1))).toEqual([]);
});
