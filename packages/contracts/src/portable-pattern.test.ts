import { expect, test } from 'vitest';
import { routes } from './api-routes.ts';
import { bodySchemas, eventSchemas, messageSchemas } from './json-schemas.ts';
import { openApiDocument } from './openapi.ts';
import { portablePattern, UnportablePatternError } from './portable-pattern.ts';
import { cleanTextPattern, isCleanText } from './text.ts';

/** Every pattern in a document of JSON Schemas. */
function patternsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) =>
    key === 'pattern' && typeof inner === 'string' ? [inner] : patternsIn(inner),
  );
}

test('every pattern that is published is portable already', () => {
  const published = patternsIn([openApiDocument, bodySchemas, messageSchemas, eventSchemas]);
  expect(published.length).toBeGreaterThan(routes.length);
  for (const pattern of new Set(published)) {
    expect(portablePattern(pattern)).toBe(pattern);
    expect(pattern).not.toMatch(/\\[dDwWsSbBpPu]|\(\?|[\ud800-\udfff]/);
  }
});

test('escapes become what every engine reads', () => {
  expect(portablePattern('^\\d{4}-\\d{2}$')).toBe('^[0-9]{4}-[0-9]{2}$');
  expect(portablePattern('^[^\\u0000-\\u001f\\ud800-\\udfff\\ufffe]*$')).toBe('^[^\\x00-\\x1f\ufffe]*$');
  expect(portablePattern('a\\.b')).toBe('a\\.b');
});

test.each(['\\p{L}', '\\w+', '\\bword', '\\u{1F600}', '(?=a)', '(?<name>a)', '[\\d]'])(
  'a pattern that no rule covers throws and is not passed on: %s',
  (source) => {
    expect(() => portablePattern(source)).toThrow(UnportablePatternError);
  },
);

test('the portable pattern of clean text takes what clean text is, lone surrogates aside', () => {
  const pattern = new RegExp(portablePattern(cleanTextPattern), 'u');
  for (let code = 0; code <= 0x1_10ff; code++) {
    const text = String.fromCodePoint(code);
    const isSurrogate = code >= 0xd800 && code <= 0xdfff;
    if (!isSurrogate && pattern.test(text) !== isCleanText(text)) expect(code).toBe('alike');
  }
  expect([pattern.test('a\u0000'), pattern.test('a\n'), pattern.test('𝄞')]).toEqual([false, false, true]);
});
