import { type ArkErrors, type } from 'arktype';
import { bookingMaxRows } from './booking.ts';
import {
  allFieldErrors,
  type FieldError,
  type FieldErrors,
  fieldErrorsMax,
  fieldErrorsOf,
  unknownField,
} from './field-errors.ts';

/** A value as its schema takes it, or its bad fields. */
export type Read<T> =
  | { readonly kind: 'read'; readonly value: T }
  | { readonly kind: 'invalid'; readonly fields: FieldErrors };

/** A schema of objects that may have no fields but its own. */
interface Closed {
  readonly props: readonly { readonly key: PropertyKey }[];
}

interface ClosedSchema<T> extends Closed {
  (value: unknown): T | ArkErrors;
}

/** The places of further closed objects: fields whose value is one, and fields whose list has them as elements. */
interface Inner {
  readonly objects?: Readonly<Record<string, Closed>>;
  readonly lists?: Readonly<Record<string, Closed>>;
}

/** Rules beyond the schema: the faults of a value as it came. Arktype checks such rules only once all else is right. */
type Rules = (value: unknown) => FieldErrors;

const noFaults: FieldErrors = { errors: [], errorCount: 0 };

/**
 * Makes a reader of values that come from outside. It tells every kind of fault at once.
 *
 * Arktype makes an error of each unknown field, and takes a list for an object whose fields are the indexes: 4 MiB of
 * either would cost seconds and gigabytes. So a value with {@link fieldErrorsMax} unknown fields is invalid for those
 * alone, counted no further. A list in an object's place is shown to the schema as null, which is one fault.
 */
export function closedReader<T>(
  schema: ClosedSchema<T>,
  inner: Inner = {},
  rules: Rules = () => noFaults,
): (value: unknown) => Read<T> {
  return (value) => {
    const strays = straysIn(placesIn(value, schema, inner));
    if (strays.length === fieldErrorsMax)
      return { kind: 'invalid', fields: { errors: strays, errorCount: strays.length } };
    const read = schema(withoutLists(value, inner));
    const broken = rules(value);
    if (!(read instanceof type.errors)) {
      return broken.errorCount === 0 ? { kind: 'read', value: read } : { kind: 'invalid', fields: broken };
    }
    return { kind: 'invalid', fields: allFieldErrors(withoutTold(fieldErrorsOf(read), broken), broken) };
  };
}

/** The schema's faults without those that the rules tell too. */
function withoutTold(found: FieldErrors, { errors: told }: FieldErrors): FieldErrors {
  const keyOf = ({ pointer, detail }: FieldError): string => `${pointer} ${detail}`;
  const known = new Set(told.map(keyOf));
  const errors = found.errors.filter((error) => !known.has(keyOf(error)));
  return { errors, errorCount: found.errorCount - (found.errors.length - errors.length) };
}

/** The value with null in place of each list that should be an object; the value itself if there is none. */
function withoutLists(value: unknown, { objects = {}, lists = {} }: Inner): unknown {
  if (Array.isArray(value)) return null;
  const changed: [string, unknown][] = [];
  for (const field of Object.keys(objects)) if (Array.isArray(own(value, field))) changed.push([field, null]);
  for (const field of Object.keys(lists)) {
    const rows = own(value, field);
    if (!Array.isArray(rows) || rows.length > bookingMaxRows || !rows.some(Array.isArray)) continue;
    changed.push([field, rows.map((row) => (Array.isArray(row) ? null : row))]);
  }
  return changed.length === 0 || typeof value !== 'object' ? value : { ...value, ...Object.fromEntries(changed) };
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
    // A longer list is invalid for its length, and its elements are not looked at.
    if (!Array.isArray(rows) || rows.length > bookingMaxRows) continue;
    const fields = fieldsOf(below);
    for (const [i, row] of rows.entries()) yield { value: row, path: [field, i], fields };
  }
}

/** The unknown fields, up to as many as an answer lists. */
function straysIn(places: Iterable<Place>): readonly FieldError[] {
  const errors: FieldError[] = [];
  for (const { value, path, fields } of places) {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) continue;
    for (const key of Object.keys(value)) {
      if (!fields.has(key)) errors.push(unknownField([...path, key]));
      if (errors.length === fieldErrorsMax) return errors;
    }
  }
  return errors;
}

function fieldsOf({ props }: Closed): ReadonlySet<PropertyKey> {
  return new Set(props.map(({ key }) => key));
}

function own(value: unknown, field: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, field)
    ? Reflect.get(value, field)
    : undefined;
}
