/**
 * Stands where a JSON text held a number that no double holds exactly as written, such as 9007199254740993 or 1e400.
 * It is no number, so every schema refuses it, at its own place and with its own pointer.
 */
export class InexactNumber {
  readonly kind = 'inexact';
}

/** The value of a JSON text, or why it has none that Usher can use. */
export type ParsedJson =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'syntax' }
  | { readonly kind: 'too_deep' };

/** Deeper than anything valid; what is less deep is told its own place by a schema. */
export const jsonMaxDepth = 2100;

/**
 * Parses JSON text (RFC 8259) without losing digits: numbers that a double cannot hold become {@link InexactNumber}.
 * Text nested deeper than {@link jsonMaxDepth} is not walked, so that no input can exhaust the stack. A reviver costs
 * twenty times what parsing does, so only a text with such a number pays for one.
 */
export function parseJson(text: string): ParsedJson {
  try {
    const { depth, isExact } = scan(text);
    if (depth > jsonMaxDepth) {
      JSON.parse(text); // Without a reviver V8 parses any depth; only whether it throws matters here.
      return { kind: 'too_deep' };
    }
    return { kind: 'value', value: isExact ? JSON.parse(text) : JSON.parse(text, keepExactNumbers) };
  } catch (error) {
    if (error instanceof SyntaxError) return { kind: 'syntax' };
    throw error;
  }
}

/** True where the double nearest to a JSON number's text reads back as the same decimal number. */
export function isExactNumber(source: string): boolean {
  const value = Number(source);
  return Number.isFinite(value) && normalDecimal(source) === normalDecimal(String(value));
}

function keepExactNumbers(_key: string, value: unknown, context?: { source?: string }): unknown {
  if (typeof value !== 'number' || context?.source === undefined) return value;
  return isExactNumber(context.source) ? value : new InexactNumber();
}

/** One spelling for all spellings of a decimal number: significant digits and the power of ten that follows them. */
function normalDecimal(source: string): string {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? [];
  const digits = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = digits.replace(/0+$/, '');
  if (significant === '') return '0';
  return `${sign}${significant}e${Number(exponent) - fraction.length + digits.length - significant.length}`;
}

/** How deep brackets nest in a text, and whether all its numbers are exact. True for JSON; a guess for anything else. */
function scan(text: string): { depth: number; isExact: boolean } {
  let depth = 0;
  let deepest = 0;
  let isExact = true;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char === 0x22) i = endOfString(text, i);
    else if (char === 0x5b || char === 0x7b) deepest = Math.max(deepest, ++depth);
    else if (char === 0x5d || char === 0x7d) depth--;
    else if (isDigit(char) || char === 0x2d) {
      const end = endOfNumber(text, i);
      isExact &&= isShort(text, i, end) || isExactNumber(text.slice(i, end));
      i = end - 1;
    }
  }
  return { depth: deepest, isExact };
}

/** The index of the quote that ends a string. */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char === 0x5c) i++;
    else if (char === 0x22) return i;
  }
  return text.length;
}

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (end < text.length && isWithinNumber(text.charCodeAt(end))) end++;
  return end;
}

/** True for at most 15 digits and no exponent: a double holds any such number exactly (IEEE 754: DBL_DIG is 15). */
function isShort(text: string, start: number, end: number): boolean {
  if (end - start > 15) return false;
  for (let i = start; i < end; i++) if ((text.charCodeAt(i) | 0x20) === 0x65) return false;
  return true;
}

/** A digit, a sign, a point or an exponent's letter. */
function isWithinNumber(char: number): boolean {
  return isDigit(char) || char === 0x2e || char === 0x2d || char === 0x2b || (char | 0x20) === 0x65;
}

function isDigit(char: number): boolean {
  return char >= 0x30 && char <= 0x39;
}
