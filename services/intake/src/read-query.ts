import { isCleanText, type ParameterError } from '@usher/contracts';
import { type Refusal, refusal } from './refusal.ts';

/** The query of a request. */
export interface Query {
  readonly kind: 'query';
  /** The value of a parameter; undefined where it was not given. */
  get(name: string): string | undefined;
}

/** A name up to this long is repeated in a refusal. */
const nameMaxLength = 64;
/** The most bad parameters that one refusal lists. */
const errorsMax = 20;

/**
 * Reads a URL's query. A parameter that the route does not know is refused, where it would else be ignored. So is one
 * that comes twice: of two values, hosts take different ones.
 */
export function readQuery(url: string, known: readonly string[]): Query | Refusal {
  const { searchParams, hash } = new URL(url);
  if (hash !== '' || url.endsWith('#')) return refusal('malformed-request', 'A request has no fragment.');
  const values = new Map<string, string>();
  const errors = new Map<string, ParameterError>();
  for (const [name, value] of searchParams) {
    if (!known.includes(name)) errors.set(name, unknown(name, known));
    else if (values.has(name)) errors.set(name, { parameter: name, detail: 'may be given once' });
    values.set(name, value);
  }
  if (errors.size === 0) return { kind: 'query', get: (name) => values.get(name) };
  const fields = { errors: [...errors.values()].slice(0, errorsMax), errorCount: errors.size };
  return refusal('invalid-query', 'The query has parameters that this route does not take.', { fields });
}

/** The refusal of parameters with wrong values: each by its name and expectation. */
export function invalidParameters(errors: readonly ParameterError[]): Refusal {
  const told = errors.map(({ parameter, detail }) => `${parameter} ${detail}`);
  return refusal('invalid-query', `${told.join('; ')}.`, { fields: { errors, errorCount: errors.length } });
}

function unknown(name: string, known: readonly string[]): ParameterError {
  const isPresentable = name.length <= nameMaxLength && isCleanText(name);
  const what = known.length === 0 ? 'this route knows none' : `this route knows ${known.join(', ')}`;
  return { parameter: isPresentable ? name : '', detail: `is not known: ${what}` };
}
