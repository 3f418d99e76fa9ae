import { AwsError } from '../aws-error.ts';

/** True for an event whose envelope matches. */
export type EventMatcher = (event: unknown) => boolean;

type ValueMatcher = (value: unknown) => boolean;

const invalid = (reason: string): AwsError =>
  new AwsError('InvalidEventPatternException', `Event pattern is not valid. Reason: ${reason}`);

/**
 * Compiles an event pattern: an object of fields, each an object of fields or a list of which one element must match.
 * An element is a string, number, boolean or null to equal, or `{"prefix": "…"}`. EventBridge knows more operators
 * (anything-but, numeric, exists, …); they are refused here rather than ignored.
 * Source: "Amazon EventBridge event patterns", EventBridge User Guide.
 *
 * @throws AwsError InvalidEventPatternException
 */
export function compileEventPattern(text: string): EventMatcher {
  let pattern: unknown;
  try {
    pattern = JSON.parse(text);
  } catch {
    throw invalid('The pattern is not JSON.');
  }
  return compileFields(pattern, 'the pattern');
}

function compileFields(pattern: unknown, at: string): EventMatcher {
  if (!isObject(pattern) || Object.keys(pattern).length === 0) {
    throw invalid(`${at} must be an object with at least one field.`);
  }
  const fields = Object.entries(pattern).map(([name, wanted]) => {
    const matches = Array.isArray(wanted) ? compileList(wanted, name) : compileFields(wanted, `"${name}"`);
    return { name, matches };
  });
  return (event) =>
    isObject(event) && fields.every(({ name, matches }) => Object.hasOwn(event, name) && matches(event[name]));
}

/** A list in the event matches where any of its elements does. */
function compileList(wanted: readonly unknown[], name: string): ValueMatcher {
  if (wanted.length === 0) throw invalid(`the list of "${name}" is empty.`);
  const matchers = wanted.map((element) => compileElement(element, name));
  const matchesOne = (value: unknown): boolean => matchers.some((matches) => matches(value));
  return (value) => (Array.isArray(value) ? value.some(matchesOne) : matchesOne(value));
}

function compileElement(element: unknown, name: string): ValueMatcher {
  if (element === null || ['string', 'number', 'boolean'].includes(typeof element)) return (value) => value === element;
  if (isObject(element) && Object.keys(element).length === 1) {
    const { prefix } = element;
    if (typeof prefix === 'string') return (value) => typeof value === 'string' && value.startsWith(prefix);
  }
  throw invalid(`"${name}" holds ${JSON.stringify(element)}; this endpoint knows exact values and {"prefix": "…"}.`);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
