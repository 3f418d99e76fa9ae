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
  expect(read).toMatchObject({ kind: 'invalid', fields: { errorCount: 100 } });
  expect(read.kind === 'invalid' && read.fields.errors.map(({ pointer }) => pointer)).toEqual(
    expect.arrayContaining(['/mode', '/reservations/0/cost', '/reservations/0/x97']),
  );
});

test.each([
  ['the body', fieldsNamed(many), '/x0'],
  ['one row', { reservations: [row(many)] }, '/reservations/0/x0'],
  ['many rows', { reservations: Array.from({ length: 1_000 }, () => row(3)) }, '/reservations/0/x0'],
])('many unknown fields of %s are counted no further than an answer lists', (_, value, first) => {
  const read = readBookingRequest(value);
  expect(read).toMatchObject({ kind: 'invalid', fields: { errorCount: fieldErrorsMax, errors: { length: 100 } } });
  expect(read.kind === 'invalid' && read.fields.errors[0]).toEqual({
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
  const read = reader(value);
  const errors = read.kind === 'invalid' ? read.fields.errors : [];
  expect(errors.filter((error) => error.pointer === pointer || error.pointer.startsWith(`${pointer}/0`))).toEqual([
    { pointer, detail: expect.stringMatching(/^must be (an object|a local day)/) },
  ]);
});

test('a booking is told every kind of fault at once', () => {
  const rows = [
    { id: 'A' },
    { id: 'A', cost: 0, x: 1 },
    [],
    { id: 'A', details: { n: [], m: '\u0000' } },
    ...Array.from({ length: 100 }, (_, i) => ({ id: `r${i}` })),
  ];
  const read = readBookingRequest({ mode: 'all-or-nothing', y: 2, reservations: rows });
  const { errors = [], errorCount } = read.kind === 'invalid' ? read.fields : {};
  expect(errors.map(({ pointer }) => pointer).sort()).toEqual([
    '/reservations',
    '/reservations/1/cost',
    '/reservations/1/id',
    '/reservations/1/x',
    '/reservations/2',
    '/reservations/3/details/m',
    '/reservations/3/id',
    '/y',
  ]);
  expect(errorCount).toBe(errors.length);
});

test('a repeated id is told once for each repeat, whether anything else is wrong or not', () => {
  const repeats = (rows: object[]) => {
    const read = readBookingRequest({ reservations: rows });
    return read.kind === 'invalid' && read.fields;
  };
  const detail = 'must be unique within the booking';
  const twice = [1, 2].map((i) => ({ pointer: `/reservations/${i}/id`, detail }));
  expect(repeats([{ id: 'A' }, { id: 'A' }, { id: 'A' }])).toEqual({ errors: twice, errorCount: 2 });
  expect(repeats(Array.from({ length: 10_000 }, () => ({ id: 'A' })))).toMatchObject({
    errorCount: 9_999,
    errors: { length: 100 },
  });
});

test('the schema never sees a value that would cost it an error per field', () => {
  const seen: unknown[] = [];
  const look = (value: unknown) => {
    seen.push(value);
    return BookingRequest(value);
  };
  const schema = Object.assign(look, { props: BookingRequest.props });
  const read = closedReader(schema);
  expect(read(fieldsNamed(many)).kind).toBe('invalid');
  expect(seen).toEqual([]);
  expect(read(new Array(many).fill(0)).kind).toBe('invalid');
  expect(read({ reservations: [{ id: 'a' }] }).kind).toBe('read');
  expect(seen).toEqual([null, { reservations: [{ id: 'a' }] }]);
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
