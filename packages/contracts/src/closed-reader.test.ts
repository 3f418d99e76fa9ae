import { type } from 'arktype';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BookingRequest } from './booking.ts';
import { closedReader } from './closed-reader.ts';
import { fieldErrorsMax, fieldErrorsOf } from './field-errors.ts';
import { readBookingRequest, readChunk, readPacing } from './readers.ts';

const fieldsNamed = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, i) => [`x${i}`, 0]));
const row = (count: number) => ({ id: 'a', ...fieldsNamed(count) });
const many = 100_000;

test('few unknown fields are told beside everything else that is wrong', () => {
  const value = { mode: 7, reservations: [{ id: 'a', cost: 0, ...fieldsNamed(98) }] };
  const read = readBookingRequest(value);
  expect(read).toMatchObject({ kind: 'refused', fields: { errorCount: 100 } });
  expect(read.kind === 'refused' && read.fields.errors.map(({ pointer }) => pointer)).toEqual(
    expect.arrayContaining(['/mode', '/reservations/0/cost', '/reservations/0/x97']),
  );
});

test.each([
  ['the body', fieldsNamed(many), '/x0'],
  ['one row', { reservations: [row(many)] }, '/reservations/0/x0'],
  ['many rows', { reservations: Array.from({ length: 1_000 }, () => row(3)) }, '/reservations/0/x0'],
])('many unknown fields of %s are counted no further than an answer lists', (_, value, first) => {
  const read = readBookingRequest(value);
  expect(read).toMatchObject({ kind: 'refused', fields: { errorCount: fieldErrorsMax, errors: { length: 100 } } });
  expect(read.kind === 'refused' && read.fields.errors[0]).toEqual({
    pointer: first,
    detail: 'must not be there: the field is not known',
  });
});

test.each([
  [readBookingRequest, new Array(many).fill(0), ''],
  [readBookingRequest, { reservations: [{ id: 'a' }, new Array(many).fill(0)] }, '/reservations/1'],
  [readChunk, { window: new Array(many).fill(0) }, '/window'],
  [readPacing, { reservations: [[]] }, '/reservations/0'],
])('a list in the place of an object is one bad field (%#)', (reader, value, pointer) => {
  expect(reader(value)).toEqual({
    kind: 'refused',
    fields: { errorCount: 1, errors: [{ pointer, detail: 'must be an object' }] },
  });
});

test('the schema never sees a value that would cost it an error per field', () => {
  let seen = 0;
  const look = (value: unknown) => {
    seen += 1;
    return BookingRequest(value);
  };
  const schema = Object.assign(look, { props: BookingRequest.props });
  const read = closedReader(schema);
  for (const value of [fieldsNamed(many), new Array(many).fill(0)]) expect(read(value).kind).toBe('refused');
  expect(seen).toBe(0);
  expect(read({ reservations: [{ id: 'a' }] }).kind).toBe('read');
  expect(seen).toBe(1);
});

test('a value is taken exactly where its schema takes it, as the schema gives it', () => {
  const rows = fc.array(
    fc.dictionary(fc.constantFrom('id', 'cost', 'details', '__proto__', 'x'), fc.constantFrom('a', 1, {}, null, [])),
    { maxLength: 4 },
  );
  const body = fc.oneof(fc.jsonValue(), fc.record({ reservations: rows }), fc.record({ mode: fc.string() }));
  fc.assert(
    fc.property(body, (value) => {
      const byReader = readBookingRequest(value);
      const bySchema = BookingRequest(value);
      if (byReader.kind === 'read') expect(byReader.value).toEqual(bySchema);
      else expect(bySchema instanceof type.errors && fieldErrorsOf(bySchema).errorCount).toBeGreaterThan(0);
    }),
  );
});
