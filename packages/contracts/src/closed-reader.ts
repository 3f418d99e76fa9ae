import { type ArkErrors, type } from 'arktype';
import { bookingMaxRows } from './booking.ts';
import {
  type FieldError,
  type FieldErrors,
  fieldErrorsMax,
  fieldErrorsOf,
  jsonPointer,
  unknownField,
} from './field-errors.ts';

/** A value as its schema takes it, or its bad fields. */
export type Read<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'refused'; readonly fields: FieldErrors };

/** What is known of a schema of objects that may have no fields but its own. */
interface Closed {
  readonly props: readonly { readonly key: PropertyKey }[];
}

interface ClosedSchema<T> extends Closed {
  (value: unknown): T | ArkErrors;
}

/** Where further closed objects stand: as a field's value, or as the elements of a field's list. */
interface Inner {
  readonly objects?: Readonly<Record<string, Closed>>;
  readonly lists?: Readonly<Record<string, Closed>>;
}

/**
 * Makes a reader of values that come from outside. Arktype makes an error of each unknown field, and takes a list where
 * an object must be for an object whose fields are the indexes: 4 MiB of either would cost seconds and gigabytes. So
 * unknown fields are looked for first, and a value with {@link fieldErrorsMax} of them, or with a list in an object's
 * place, is refused for those alone, counted no further.
 */
export function closedReader<T>(schema: ClosedSchema<T>, inner: Inner = {}): (value: unknown) => Read<T> {
  return (value) => {
    const { errors, isFinal } = straysIn(placesIn(value, schema, inner));
    if (isFinal) return { kind: 'refused', fields: { errors, errorCount: errors.length } };
    const read = schema(value);
    return read instanceof type.errors
      ? { kind: 'refused', fields: fieldErrorsOf(read) }
      : { kind: 'read', value: read };
  };
}

/** A value in the place of a closed object. */
interface Place {
  readonly value: unknown;
  readonly path: readonly PropertyKey[];
  readonly fields: ReadonlySet<PropertyKey>;
}

function* placesIn(value: unknown, closed: Closed, { objects = {}, lists = {} }: Inner): Generator<Place> {
  yield { value, path: [], fields: fieldsOf(closed) };
  for (const [field, below] of Object.entries(objects)) {
    yield { value: own(value, field), path: [field], fields: fieldsOf(below) };
  }
  for (const [field, below] of Object.entries(lists)) {
    const rows = own(value, field);
    // A longer list is refused for its length, and its elements are not looked at.
    if (!Array.isArray(rows) || rows.length > bookingMaxRows) continue;
    const fields = fieldsOf(below);
    for (const [i, row] of rows.entries()) yield { value: row, path: [field, i], fields };
  }
}

/** What is wrong with the fields that there are, up to as many errors as an answer lists; final where that decides. */
function straysIn(places: Iterable<Place>): { readonly errors: readonly FieldError[]; readonly isFinal: boolean } {
  const errors: FieldError[] = [];
  let hasList = false;
  for (const { value, path, fields } of places) {
    if (Array.isArray(value)) {
      hasList = true;
      errors.push({ pointer: jsonPointer(path), detail: 'must be an object' });
    } else if (typeof value === 'object' && value !== null) {
      for (const key of Object.keys(value)) {
        if (!fields.has(key)) errors.push(unknownField([...path, key]));
        if (errors.length === fieldErrorsMax) break;
      }
    }
    if (errors.length === fieldErrorsMax) return { errors, isFinal: true };
  }
  return { errors, isFinal: hasList };
}

function fieldsOf({ props }: Closed): ReadonlySet<PropertyKey> {
  return new Set(props.map(({ key }) => key));
}

function own(value: unknown, field: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, field)
    ? Reflect.get(value, field)
    : undefined;
}
