import type { ArkError, ArkErrors } from 'arktype';
import { isCleanText } from './text.ts';

/** One bad field: its place (RFC 6901) and what was expected there. Never what was found. */
export interface FieldError {
  readonly pointer: string;
  readonly detail: string;
}

/** The bad fields of a body: the first hundred, and the number of all. */
export interface FieldErrors {
  readonly errors: readonly FieldError[];
  readonly errorCount: number;
}

/** The most bad fields that one answer lists. */
export const fieldErrorsMax = 100;
const segmentMaxLength = 128;
/** The longest pointer. A text of some levels and names would else be answered by a hundred times its length. */
export const pointerMaxLength = 1024;

/** Arktype's errors as JSON pointers and expectations, without any value that was sent. */
export function fieldErrorsOf(errors: ArkErrors): FieldErrors {
  return { errors: errors.slice(0, fieldErrorsMax).map(fieldErrorOf), errorCount: errors.count };
}

/** The bad fields of two lists as one. */
export function allFieldErrors(one: FieldErrors, other: FieldErrors): FieldErrors {
  return {
    errors: [...one.errors, ...other.errors].slice(0, fieldErrorsMax),
    errorCount: one.errorCount + other.errorCount,
  };
}

/** A JSON pointer (RFC 6901) to a path. */
export function jsonPointer(path: readonly PropertyKey[]): string {
  return path.map((key) => `/${String(key).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');
}

/** The error of a field that no schema knows. */
export function unknownField(path: readonly PropertyKey[]): FieldError {
  return fieldError(path, 'must not be there: the field is not known', 'must have no such field');
}

/** The error of a field that its object has more than once. */
export function repeatedName(path: readonly PropertyKey[]): FieldError {
  return fieldError(path, 'must be given once: the name is repeated', 'must have no name more than once');
}

function fieldErrorOf(error: ArkError): FieldError {
  const path = [...error.path];
  const isUnknown = error.code === 'predicate' && error.expected === 'removed';
  return isUnknown ? unknownField(path) : fieldError(path, detailOf(error));
}

/** An error at its path, or at the nearest place above it that can be shown. */
function fieldError(
  path: readonly PropertyKey[],
  detail: string,
  withoutName = `has a field that ${detail}`,
): FieldError {
  const { pointer, shown } = shownPointer(path);
  if (shown === path.length) return { pointer, detail };
  return { pointer, detail: shown === path.length - 1 ? withoutName : `has, further down, a field that ${detail}` };
}

/** The pointer to a path. It ends before a name that is long, unclean, or makes the pointer too long. */
function shownPointer(path: readonly PropertyKey[]): { readonly pointer: string; readonly shown: number } {
  let pointer = '';
  for (const [shown, key] of path.entries()) {
    const next = isPresentable(String(key)) ? pointer + jsonPointer([key]) : undefined;
    if (next === undefined || next.length > pointerMaxLength) return { pointer, shown };
    pointer = next;
  }
  return { pointer, shown: path.length };
}

function detailOf(error: ArkError): string {
  const expected = error.flat.map(expectedOf).join(' and ');
  return error.code === 'required' ? `is missing and must be ${expected}` : `must be ${expected}`;
}

// A union's own expectation ends with what was found: its branches' do not.
function expectedOf(error: ArkError): string {
  if (!error.hasCode('union')) return error.expected;
  return [...new Set(error.errors.map((branch) => branch.expected))].join(' or ');
}

function isPresentable(key: string): boolean {
  return key.length <= segmentMaxLength && isCleanText(key);
}
