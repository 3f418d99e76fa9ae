import { describe, expect, it } from 'vitest';
import { excerpt } from './excerpt.ts';

describe('an excerpt', () => {
  it('is the text in quotes, with what does not print spelled out', () => {
    expect(excerpt('1,5 €')).toBe('"1,5 €"');
    expect(excerpt('a\u001b[31m\u200b\u202e\u00a0\n')).toBe('"a\\u{1b}[31m\\u{200b}\\u{202e}\\u{a0}\\u{a}"');
    expect(excerpt('a"b')).toBe(`'a"b'`);
    expect(excerpt('\ud800')).toBe('"\\u{d800}"');
  });

  it('has at most 40 characters of it', () => {
    expect(excerpt('x'.repeat(40))).toBe(`"${'x'.repeat(40)}"`);
    expect(excerpt('😀'.repeat(41))).toBe(`"${'😀'.repeat(40)}…"`);
    expect(excerpt('x'.repeat(1_000_000))).toBe(`"${'x'.repeat(40)}…"`);
  });
});
