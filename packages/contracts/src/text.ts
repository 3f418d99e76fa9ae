import { type Type, type } from 'arktype';

// With the `u` flag a pattern counts code points, and its surrogate range matches lone surrogates only.
const forbidden = '\\u0000-\\u001f\\u007f\\ud800-\\udfff\\ufffe\\uffff';
/** Clean text, as a pattern for an expression with the `u` flag. */
export const cleanTextPattern = `^[^${forbidden}]*$`;
const cleanText = new RegExp(cleanTextPattern, 'u');

/** The rule of clean text, in words. SQS refuses most of these characters in a message, people trip over the rest. */
export const cleanTextRule = 'free of control characters, lone surrogates, U+FFFE and U+FFFF';

/** True for text without control characters (U+0000–U+001F, U+007F), lone surrogates, U+FFFE and U+FFFF. */
export function isCleanText(text: string): boolean {
  return cleanText.test(text);
}

/** The type of clean text whose length in code points lies within the bounds. */
export function textOfLength(min: number, max: number): Type<string> {
  return type(new RegExp(`^[^${forbidden}]{${min},${max}}$`, 'u')).describe(
    `a string of ${min} to ${max} characters, ${cleanTextRule}`,
  );
}

/** The size of text as UTF-8, in bytes: the one measure of size in Usher. */
export function utf8Bytes(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}
