import { type } from 'arktype';
import { InexactNumber } from './json-number.ts';
import { cleanTextRule, isCleanText, utf8Bytes } from './text.ts';

/** The largest `details` of a reservation: UTF-8 bytes of its JSON without white space. */
export const detailsMaxBytes = 4096;
/**
 * The deepest nesting of `details`, the object itself being the first level. JSON parsers downstream have bounds of
 * their own, and writing JSON costs V8 the square of its depth.
 */
export const detailsMaxDepth = 64;

const tooLarge = `at most ${detailsMaxBytes} bytes of JSON`;
const tooDeep = `nested at most ${detailsMaxDepth} levels deep`;

/**
 * A reservation's own data: a JSON object of at most 4 KiB and 64 levels, of clean text, without a number that would
 * change on the way. Usher passes it through to dispatch and never looks at it.
 */
export const Details = type({ '[string]': 'unknown' })
  .narrow((details, ctx) => {
    const fault = faultOf(details);
    return fault === null || ctx.reject(fault);
  })
  .describe(`a JSON object, ${tooLarge}, ${tooDeep}`);
export type Details = typeof Details.infer;

interface Fault {
  readonly expected: string;
  readonly relativePath: PropertyKey[];
}

interface Place {
  readonly key: PropertyKey;
  readonly parent: Place | null;
}

function faultOf(details: object): Fault | null {
  if (Array.isArray(details) || details instanceof InexactNumber) {
    return { expected: 'a JSON object', relativePath: [] };
  }
  return faultWithin(details) ?? (fits(details) ? null : { expected: tooLarge, relativePath: [] });
}

// A stack of our own, for no input may exhaust the machine's.
function faultWithin(details: object): Fault | null {
  const stack: { value: unknown; place: Place | null; depth: number }[] = [{ value: details, place: null, depth: 1 }];
  let values = 0;
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { value, place, depth } = next;
    // A value takes a byte: past this bound the size is certain.
    if (++values > detailsMaxBytes) return { expected: tooLarge, relativePath: [] };
    if (value instanceof InexactNumber) {
      return { expected: 'a number that a double keeps as it is written', relativePath: pathOf(place) };
    }
    if (typeof value === 'string' && !isCleanText(value)) {
      return { expected: `text ${cleanTextRule}`, relativePath: pathOf(place) };
    }
    if (typeof value !== 'object' || value === null) continue;
    if (depth > detailsMaxDepth) return { expected: tooDeep, relativePath: [] };
    const keys = Array.isArray(value) ? null : Object.keys(value);
    const children = keys === null ? value : Object.values(value);
    if (!Array.isArray(children) || children.length > detailsMaxBytes) return { expected: tooLarge, relativePath: [] };
    for (let i = 0; i < children.length; i++) {
      const key = keys?.[i] ?? i;
      if (typeof key === 'string' && !isCleanText(key)) {
        return { expected: `an object with keys ${cleanTextRule}`, relativePath: pathOf(place) };
      }
      stack.push({ value: children[i], place: { key, parent: place }, depth: depth + 1 });
    }
  }
  return null;
}

function fits(details: object): boolean {
  return utf8Bytes(JSON.stringify(details)) <= detailsMaxBytes;
}

function pathOf(place: Place | null): PropertyKey[] {
  const path: PropertyKey[] = [];
  for (let at = place; at !== null; at = at.parent) path.unshift(at.key);
  return path;
}
