import type { JsonSchema } from '@usher/contracts';
import { type } from 'arktype';

const Schema = type({ '[string]': 'unknown' });
const Properties = type({ '[string]': Schema });
const Alternatives = Schema.array();

const kept = new Set([
  ...['type', 'description', 'pattern', 'enum', 'required', 'additionalProperties', 'format'],
  ...['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems'],
]);

/** The schema uses a keyword that OpenAPI 3.0 lacks, and for which there is no rule here. */
export class UnknownKeywordError extends Error {
  override readonly name = 'UnknownKeywordError';
}

/**
 * Translates a JSON Schema (2020-12) to the older dialect of OpenAPI 3.0, which EventBridge's registry takes: there a
 * constant is an enum of one, and an exclusive bound is a bound with a flag.
 *
 * @throws UnknownKeywordError
 */
export function toOpenApi30(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(Object.entries(schema).flatMap(([keyword, value]) => translate(keyword, value)));
}

function translate(keyword: string, value: unknown): (readonly [string, unknown])[] {
  if (kept.has(keyword)) return [[keyword, value]];
  if (keyword === 'const') return [['enum', [value]]];
  if (keyword === 'exclusiveMinimum') return exclusive('minimum', keyword, value);
  if (keyword === 'exclusiveMaximum') return exclusive('maximum', keyword, value);
  if (keyword === 'items') return [[keyword, toOpenApi30(Schema.assert(value))]];
  if (keyword === 'anyOf') return [[keyword, Alternatives.assert(value).map(toOpenApi30)]];
  if (keyword === 'properties') {
    const properties = Object.entries(Properties.assert(value));
    return [[keyword, Object.fromEntries(properties.map(([name, inner]) => [name, toOpenApi30(inner)]))]];
  }
  throw new UnknownKeywordError(`OpenAPI 3.0 has no "${keyword}" that a JSON Schema's could become`);
}

function exclusive(bound: string, flag: string, value: unknown): (readonly [string, unknown])[] {
  return [
    [bound, value],
    [flag, true],
  ];
}
