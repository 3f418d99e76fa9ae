import { type } from 'arktype';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BookingRequest, BookingStatus } from './booking.ts';
import { Chunk } from './chunk.ts';
import { eventDetails } from './event.ts';
import { fieldErrorsOf, jsonPointer } from './field-errors.ts';

function errorsOf(value: unknown) {
  const read = BookingRequest(value);
  return read instanceof type.errors ? fieldErrorsOf(read) : { errors: [], errorCount: 0 };
}

test('pointers are escaped as RFC 6901 tells', () => {
  expect(jsonPointer([])).toBe('');
  expect(jsonPointer(['a/b', '~', 0, ''])).toBe('/a~1b/~0/0/');
});

test('each bad field is told once, with what was expected', () => {
  expect(errorsOf({ mode: 'all', reservations: [{ id: 'a', cost: 0 }, { cost: 1 }], extra: 1 })).toEqual({
    errorCount: 4,
    errors: expect.arrayContaining([
      { pointer: '/mode', detail: 'must be "all-or-nothing" or "partial"' },
      { pointer: '/reservations/0/cost', detail: 'must be a whole number from 1 to 10000' },
      { pointer: '/reservations/1/id', detail: expect.stringMatching(/^is missing and must be a string/) },
      { pointer: '/extra', detail: 'must not be there: the field is not known' },
    ]),
  });
});

test('no answer ever repeats a value, whatever is wrong with whichever schema', () => {
  const marker = 'm4rk3r';
  const value = fc.oneof(fc.constant(marker), fc.constant([marker]), fc.constant({ x: marker }), fc.integer());
  const keys = fc.constantFrom('mode', 'reservations', 'id', 'status', 'window', 'kind', 'data', 'metadata', 'counts');
  const row = fc.dictionary(fc.constantFrom('id', 'cost', 'details', 'decision', 'reason'), value);
  const body = fc.oneof(value, fc.dictionary(keys, fc.oneof(value, fc.array(row), row)));
  const schemas = [BookingRequest, BookingStatus, Chunk, ...Object.values(eventDetails)];
  fc.assert(
    fc.property(body, (found) => {
      for (const schema of schemas) {
        const read = schema(found);
        if (read instanceof type.errors) expect(JSON.stringify(fieldErrorsOf(read))).not.toContain(marker);
      }
    }),
  );
});

test('a name that cannot be shown is told by its place alone', () => {
  expect(errorsOf({ reservations: [{ id: 'a', 'bad\u0000': 1 }] }).errors).toEqual([
    { pointer: '/reservations/0', detail: 'must have no such field' },
  ]);
});
