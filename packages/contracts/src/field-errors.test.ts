import { type } from 'arktype';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BookingRequest, BookingStatus } from './booking.ts';
import { Chunk } from './chunk.ts';
import { eventDetails } from './event.ts';
import { fieldErrorsMax, fieldErrorsOf, jsonPointer, pointerMaxLength } from './field-errors.ts';
import { parseJson } from './json.ts';
import { InexactNumber } from './json-number.ts';

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

test('a place under a name too long to be shown is told with what was expected further down', () => {
  const name = 'n'.repeat(129);
  const details = { [name]: { count: new InexactNumber() } };
  expect(errorsOf({ reservations: [{ id: 'a', details }] }).errors).toEqual([
    {
      pointer: '/reservations/0/details',
      detail: 'has, further down, a field that must be a number that a double keeps as it is written',
    },
  ]);
});

test.for(['n', '~', '"'])('pointers stay short however deep the place is and however often it is told: %s', (char) => {
  const open = `{${JSON.stringify(char.repeat(128))}:`.repeat(2000);
  const repeats = `{${Array.from({ length: 2 * fieldErrorsMax }, () => '"a":1').join()}}`;
  const parsed = parseJson(`${open}${repeats}${'}'.repeat(2000)}`);
  const errors = parsed.kind === 'repeated_names' ? parsed.errors : [];
  expect(errors).toHaveLength(fieldErrorsMax);
  expect(Math.max(...errors.map(({ pointer }) => pointer.length))).toBeLessThanOrEqual(pointerMaxLength);
  expect(errors[0]?.detail).toBe('has, further down, a field that must be given once: the name is repeated');
});
