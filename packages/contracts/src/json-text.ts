import { type } from 'arktype';
import { jsonMaxDepth, type ParsedJson, parseJson } from './json.ts';

type JsonFault = Exclude<ParsedJson, { kind: 'value' }>;

/** A text is no JSON that Usher reads. The message tells the place and never a value. */
export class InvalidJsonError extends Error {
  override readonly name = 'InvalidJsonError';
}

/**
 * The value of a JSON text that an operator wrote: a file, a variable or a setting.
 *
 * @throws InvalidJsonError
 */
export function jsonValue(text: string): unknown {
  const parsed = parseJson(text);
  if (parsed.kind !== 'value') throw new InvalidJsonError(jsonFault(parsed));
  return parsed.value;
}

/** The type of a JSON text, which it turns into its value. */
export const JsonText = type('string').pipe((text, ctx): unknown => {
  const parsed = parseJson(text);
  return parsed.kind === 'value'
    ? parsed.value
    : ctx.error({ expected: 'JSON text', actual: '', problem: `must be JSON text: ${jsonFault(parsed)}` });
});

/** A fault in words: a clause that tells the place and never a value. */
export function jsonFault(fault: JsonFault): string {
  switch (fault.kind) {
    case 'syntax':
      return `at line ${fault.line}, column ${fault.column} (in characters) ${fault.expected} was expected`;
    case 'too_deep':
      return `it is nested more than ${jsonMaxDepth} levels deep`;
    case 'repeated_names':
      return fault.errors.map(({ pointer, detail }) => `${pointer} ${detail}`.trimStart()).join('; ');
  }
}
