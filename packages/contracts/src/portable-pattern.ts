/** A pattern cannot be read by some regular-expression engine, and no rule here says it otherwise. */
export class UnportablePatternError extends Error {
  override readonly name = 'UnportablePatternError';
}

/** Surrogates are no characters in other engines' strings. A field's description tells which characters it may have. */
const surrogates = '\\ud800-\\udfff';
/** A portable pattern is made of literals, classes, plain groups, bounds, and escapes of two hex digits. */
const portable = /^(?:[^\\]|\\x[0-9a-f]{2}|\\[.*+?^$()[\]{}|/\\-])*$/;

/**
 * Makes a pattern that the engines of Python, Java, Rust and Go (RE2) read as ECMAScript does. `\d` would take digits of
 * every script in some of them, so it becomes a class. `\u…` is unknown to others, so it becomes the character itself.
 *
 * @throws UnportablePatternError
 */
export function portablePattern(source: string): string {
  const said = source
    .replaceAll(surrogates, '')
    .replaceAll(/\\u00([0-9a-f]{2})/g, '\\x$1')
    .replaceAll(/\\u([0-9a-f]{4})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
    .replaceAll('\\d', '[0-9]');
  const before = said.split('[0-9]').slice(0, -1);
  const isNested = before.some((part) => part.lastIndexOf('[') > part.lastIndexOf(']'));
  if (!portable.test(said) || said.includes('(?') || isNested)
    throw new UnportablePatternError(`cannot be said portably: ${source}`);
  return said;
}
