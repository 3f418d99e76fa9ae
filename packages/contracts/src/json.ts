import { type FieldError, fieldErrorsMax, repeatedName } from './field-errors.ts';
import { closeBrace, closeBracket, comma, JsonSyntaxError, JsonTokens, openBrace, openBracket } from './json-tokens.ts';

/** The value of a JSON text, or the fault that leaves it without one. */
export type ParsedJson =
  | { readonly kind: 'value'; readonly value: unknown }
  | ({ readonly kind: 'syntax' } & SyntaxFault)
  | { readonly kind: 'too_deep' }
  | RepeatedNames;

/** The place where a text stops being JSON, and what could have stood there. It never holds anything of the text. */
export interface SyntaxFault {
  /** From 1; a line ends with LF, CR LF or CR. */
  readonly line: number;
  /** From 1, in Unicode code points. */
  readonly column: number;
  /** Such as `a value` or `a comma or "}"`. */
  readonly expected: string;
}

/** Objects of the text have a name more than once. Two readers could differ about the value. */
export interface RepeatedNames {
  readonly kind: 'repeated_names';
  /** As many as an answer lists, with the pointer of the repeated field; more are not counted. */
  readonly errors: readonly FieldError[];
  readonly errorCount: number;
  /** The value if the last of equal names counted, for finding further faults only. */
  readonly value: unknown;
}

/** The deepest nesting that is read: deeper than anything valid, so that a schema tells the place of most of it. */
export const jsonMaxDepth = 2100;

/**
 * Reads JSON text (RFC 8259) and loses nothing of it. A number that a double does not keep becomes an
 * {@link InexactNumber}. A repeated name is a fault, and a syntax error has its place. It is one pass without recursion:
 * no text costs more than a small multiple of its length, and none can exhaust the stack.
 */
export function parseJson(text: string): ParsedJson {
  try {
    const { value, deepest, errors } = read(new JsonTokens(text));
    if (deepest > jsonMaxDepth) return { kind: 'too_deep' };
    return errors.length > 0
      ? { kind: 'repeated_names', errors, errorCount: errors.length, value }
      : { kind: 'value', value };
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return { kind: 'syntax', ...placeOf(text, error.index), expected: error.expected };
  }
}

/** An object or a list whose end has not been read. */
interface Open {
  readonly container: Record<string, unknown> | unknown[];
  /** The name that the next value of an object gets. */
  name: string;
}

function read(tokens: JsonTokens): Pick<RepeatedNames, 'value' | 'errors'> & { readonly deepest: number } {
  const open: Open[] = [];
  const errors: FieldError[] = [];
  let deepest = 0;

  const readName = (object: Open): void => {
    object.name = tokens.name();
    if (!Object.hasOwn(object.container, object.name)) return;
    if (errors.length < fieldErrorsMax) errors.push(repeatedName(open.map(keyOf)));
  };

  for (;;) {
    const first = tokens.next();
    let value: unknown;
    if (first === openBrace || first === openBracket) {
      tokens.take();
      const inner = open.length < jsonMaxDepth ? opened(first) : first === openBrace ? deepObject : deepList;
      deepest = Math.max(deepest, open.push(inner));
      if (tokens.next() !== closeOf(inner)) {
        if (first === openBrace) readName(inner);
        continue;
      }
      tokens.take();
      open.pop();
      value = inner.container;
    } else {
      value = tokens.scalar(first);
    }
    // A value may be the last of what it stands in, which then is a value itself.
    for (;;) {
      const outer = open.at(-1);
      const next = tokens.next();
      if (outer === undefined) return Number.isNaN(next) ? { value, deepest, errors } : tokens.fail('the end');
      if (open.length <= jsonMaxDepth) put(outer, value);
      if (next === comma) {
        tokens.take();
        if (!Array.isArray(outer.container)) readName(outer);
        break;
      }
      if (next !== closeOf(outer)) tokens.fail(Array.isArray(outer.container) ? 'a comma or "]"' : 'a comma or "}"');
      tokens.take();
      open.pop();
      value = outer.container;
    }
  }
}

function opened(bracket: number): Open {
  return { container: bracket === openBrace ? {} : [], name: '' };
}

/** Stand for every object and list that is too deep. These are read for their syntax, and hold nothing. */
const deepObject = opened(openBrace);
const deepList = opened(openBracket);

function put({ container, name }: Open, value: unknown): void {
  if (Array.isArray(container)) container.push(value);
  // Set as any other name, this one would be the object's prototype.
  else if (name === '__proto__') {
    Object.defineProperty(container, name, { value, writable: true, enumerable: true, configurable: true });
  } else container[name] = value;
}

function closeOf({ container }: Open): number {
  return Array.isArray(container) ? closeBracket : closeBrace;
}

function keyOf({ container, name }: Open): PropertyKey {
  return Array.isArray(container) ? container.length : name;
}

/** The line and column of an index. */
function placeOf(text: string, index: number): Pick<SyntaxFault, 'line' | 'column'> {
  let line = 1;
  let lineStart = 0;
  for (let i = 0; i < index; i++) {
    const char = text.charCodeAt(i);
    if (char === 0x0a || (char === 0x0d && text.charCodeAt(i + 1) !== 0x0a)) {
      line++;
      lineStart = i + 1;
    }
  }
  let column = 1;
  for (let i = lineStart; i < index; i++) {
    const char = text.charCodeAt(i);
    const isPair = char >= 0xd800 && char < 0xdc00 && (text.charCodeAt(i + 1) & 0xfc00) === 0xdc00;
    if (isPair) i++;
    column++;
  }
  return { line, column };
}
