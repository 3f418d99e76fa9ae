import { InexactNumber, isExactNumber } from './json-number.ts';

/** A text is no JSON from an index on. `expected` names what could have stood there. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
  readonly index: number;
  readonly expected: string;
  constructor(index: number, expected: string) {
    super(`No JSON from index ${index} on: ${expected} was expected`);
    this.index = index;
    this.expected = expected;
  }
}

export const comma = 0x2c;
export const openBracket = 0x5b;
export const closeBracket = 0x5d;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;
const quote = 0x22;
const backslash = 0x5c;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;

const literals: Readonly<Record<number, { readonly text: string; readonly value: boolean | null }>> = {
  116: { text: 'true', value: true },
  102: { text: 'false', value: false },
  110: { text: 'null', value: null },
};

/** Short escapes (RFC 8259, section 7), by the character after the backslash. */
const escapes: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

const inexact = Object.freeze(new InexactNumber());

/** Reads a JSON text token by token. Every character is looked at a fixed number of times. */
export class JsonTokens {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** The next character that is no white space, which is not taken yet; NaN at the end of the text. */
  next(): number {
    let char = this.#text.charCodeAt(this.#at);
    while (char === 0x20 || char === 0x0a || char === 0x0d || char === 0x09) char = this.#text.charCodeAt(++this.#at);
    return char;
  }

  /** Takes the character that {@link next} gave. */
  take(): void {
    this.#at++;
  }

  /** @throws JsonSyntaxError always, for the next character */
  fail(expected: string): never {
    throw new JsonSyntaxError(this.#at, expected);
  }

  /** A name and the colon behind it. */
  name(): string {
    if (this.next() !== quote) this.fail('a name in double quotes');
    const name = this.#string();
    if (this.next() !== 0x3a) this.fail('a colon');
    this.take();
    return name;
  }

  /** A string, number, `true`, `false` or `null`, whose first character is the next. */
  scalar(first: number): unknown {
    if (first === quote) return this.#string();
    if (first === minus || isDigit(first)) return this.#number();
    const literal = literals[first];
    if (literal === undefined || !this.#text.startsWith(literal.text, this.#at)) this.fail('a value');
    this.#at += literal.text.length;
    return literal.value;
  }

  #string(): string {
    const text = this.#text;
    const start = this.#at + 1;
    for (let i = start; ; i++) {
      const char = text.charCodeAt(i);
      if (char === quote) {
        this.#at = i + 1;
        return text.slice(start, i);
      }
      if (char === backslash) return this.#escaped(start, i);
      if (!(char >= 0x20)) this.#failAt(i, stringRest(char));
    }
  }

  /** A string whose first escape stands at an index. */
  #escaped(start: number, firstEscape: number): string {
    const text = this.#text;
    let plain = start;
    let read = '';
    for (let i = firstEscape; ; i++) {
      const char = text.charCodeAt(i);
      if (char === quote) {
        this.#at = i + 1;
        return read + text.slice(plain, i);
      }
      if (char === backslash) {
        read += text.slice(plain, i);
        const letter = text[++i] ?? '';
        if (letter === 'u') {
          read += String.fromCharCode(this.#hex(i + 1));
          i += 4;
        } else {
          read += escapes[letter] ?? this.#failAt(i, 'one of the escapes of JSON');
        }
        plain = i + 1;
      } else if (!(char >= 0x20)) this.#failAt(i, stringRest(char));
    }
  }

  /** The value of four hexadecimal digits. */
  #hex(start: number): number {
    let value = 0;
    for (let i = start; i < start + 4; i++) {
      const digit = hexDigit(this.#text.charCodeAt(i));
      if (digit < 0) this.#failAt(i, 'four hexadecimal digits');
      value = value * 16 + digit;
    }
    return value;
  }

  #number(): number | InexactNumber {
    const start = this.#at;
    let at = start;
    const text = this.#text;
    if (text.charCodeAt(at) === minus) at++;
    at = text.charCodeAt(at) === zero ? at + 1 : this.#digits(at);
    let isPlain = true;
    if (text.charCodeAt(at) === point) at = this.#digits(at + 1);
    if ((text.charCodeAt(at) | 0x20) === 0x65) {
      isPlain = false;
      at++;
      const sign = text.charCodeAt(at);
      at = this.#digits(sign === 0x2b || sign === minus ? at + 1 : at);
    }
    this.#at = at;
    // A double keeps any number of at most 15 digits (IEEE 754: DBL_DIG) without an exponent.
    if (isPlain && at - start <= 15) return Number(text.slice(start, at));
    const source = text.slice(start, at);
    return isExactNumber(source) ? Number(source) : inexact;
  }

  /** The end of one digit or more. */
  #digits(start: number): number {
    let at = start;
    while (isDigit(this.#text.charCodeAt(at))) at++;
    return at > start ? at : this.#failAt(at, 'a digit');
  }

  #failAt(index: number, expected: string): never {
    this.#at = index;
    return this.fail(expected);
  }
}

function stringRest(char: number): string {
  return Number.isNaN(char) ? 'a double quote that ends the string' : 'an escape in the place of a control character';
}

function isDigit(char: number): boolean {
  return char >= zero && char <= 0x39;
}

function hexDigit(char: number): number {
  if (isDigit(char)) return char - zero;
  const lower = char | 0x20;
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1;
}
