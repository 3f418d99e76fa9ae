import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ByteReader, ByteWriter } from './bytes.ts';

function written(write: (out: ByteWriter) => void): Uint8Array {
  const out = new ByteWriter();
  write(out);
  return out.bytes();
}

function textAsDecimal(text: string): Uint8Array {
  return Uint8Array.of(0xff, text.length, ...Buffer.from(text, 'latin1'));
}

test('every whole number up to 2⁵³ − 1 is read back', () => {
  fc.assert(
    fc.property(fc.oneof(fc.maxSafeNat(), fc.constantFrom(0, 127, 128, 16_383, 16_384, 2 ** 53 - 1)), (value) => {
      expect(new ByteReader(written((out) => out.uint(value))).uint()).toBe(value);
    }),
  );
});

test.each([
  { value: 0, bytes: 1 },
  { value: 127, bytes: 1 },
  { value: 128, bytes: 2 },
  { value: Number.MAX_SAFE_INTEGER, bytes: 8 },
])('the whole number $value takes $bytes bytes', ({ value, bytes }) => {
  expect(written((out) => out.uint(value))).toHaveLength(bytes);
});

test.each([-1, 0.5, Number.NaN, 2 ** 53])('%d is not written as a whole number', (value) => {
  expect(() => new ByteWriter().uint(value)).toThrow(RangeError);
  expect(() => new ByteWriter().uint(value)).toThrow(`${value} is not a whole number`);
});

test('every finite double above 0 is read back exactly', () => {
  const doubles = fc.oneof(
    fc.double({ min: Number.MIN_VALUE, noNaN: true, noDefaultInfinity: true }),
    fc.double({ min: 0.1, max: 1_000_000, noNaN: true }),
    fc.constantFrom(5e-324, 2.2250738585072014e-308, Number.MAX_VALUE, 0.1, 1 / 3, 0.1 + 0.2, 2 ** 53, 2 ** 53 + 2),
  );
  fc.assert(
    fc.property(doubles, (value) => {
      expect(new ByteReader(written((out) => out.decimal(value))).decimal()).toBe(value);
    }),
    { numRuns: 1000 },
  );
});

test.each([
  { value: 10, bytes: 2 },
  { value: 0.8, bytes: 2 },
  { value: 0.25, bytes: 2 },
  { value: 1111, bytes: 3 },
  // The least of its kind: one digit at the lowest scale.
  { value: 1e-112, bytes: 2 },
])('the usual decimal $value takes $bytes bytes', ({ value, bytes }) => {
  expect(written((out) => out.decimal(value))).toHaveLength(bytes);
});

test.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY])('%d is not written as a decimal', (value) => {
  expect(() => new ByteWriter().decimal(value)).toThrow(RangeError);
  expect(() => new ByteWriter().decimal(value)).toThrow(`${value} is not a finite number`);
});

test.each(['', 'abc', 'NaN', 'Infinity', '-1', '0', '1e999'])('the text %j is not read as a decimal', (text) => {
  expect(() => new ByteReader(textAsDecimal(text)).decimal()).toThrow(RangeError);
  expect(() => new ByteReader(textAsDecimal(text)).decimal()).toThrow('not finite and > 0');
});

test('hexadecimal digits are read back with their leading zeros', () => {
  expect(new ByteReader(written((out) => out.hex('00ff0a'))).hex(3)).toBe('00ff0a');
});

test('bytes that end early, go on too long or spell a number past 2⁵³ are refused', () => {
  expect(() => new ByteReader(Uint8Array.of()).byte()).toThrow('end early');
  expect(() => new ByteReader(Uint8Array.of(0x80)).uint()).toThrow('end early');
  expect(() => new ByteReader(Uint8Array.of(1)).end()).toThrow('go on');
  expect(() => new ByteReader(new Uint8Array(9).fill(0xff)).uint()).toThrow('too large');
  expect(() => new ByteReader(new Uint8Array(999).fill(0x80)).uint()).toThrow(RangeError);
});
