import { type } from 'arktype';
import { expect, test } from 'vitest';
import { isCleanText, textOfLength, utf8Bytes } from './text.ts';

test.for([
  ['', true],
  ['A-17 𝄞 é \u0080', true],
  ['\u0000', false],
  ['a\n', false],
  ['\u001f', false],
  ['\u007f', false],
  ['\ud834', false],
  ['\udd1e\ud834', false],
  ['\ufffe', false],
  ['\uffff', false],
] as const)('%j is clean: %s', ([text, clean]) => {
  expect(isCleanText(text)).toBe(clean);
});

test('lengths count code points and sizes count UTF-8 bytes', () => {
  const three = textOfLength(1, 3);
  expect(three.allows('𝄞𝄞𝄞')).toBe(true);
  expect(three.allows('𝄞𝄞𝄞x')).toBe(false);
  expect(three.allows('')).toBe(false);
  expect(utf8Bytes('𝄞é')).toBe(6);
});

test('the expectation is said in words', () => {
  const refused = textOfLength(1, 3)('\u0000');
  expect(refused instanceof type.errors && refused[0]?.expected).toMatch(/^a string of 1 to 3 characters/);
});
