import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isExactNumber, numberMaxLength } from './json-number.ts';

test.for([
  ['0', true],
  ['-0', true],
  ['0.0e5', true],
  ['1.10', true],
  ['1e2', true],
  ['1E+2', true],
  ['100e-2', true],
  ['0.1', true],
  ['1e23', true],
  ['123456789012345680000', true],
  ['9007199254740992', true],
  ['9007199254740993', false],
  ['0.1000000000000000055', false],
  ['0.1000000000000000056', true],
  ['0.1000000000000000055511151231257827', true],
  ['0.1000000000000000055511151231257827021181583404541015625', true],
  ['0.10000000000000000555111512312578270211815834045410156250000', true],
  ['0.1000000000000000055511151231257827021181583404541015626', false],
  ['0.10000000000000001', true],
  ['0.10000000000000000', true],
  ['29.949999999999999', true],
  ['29.949999999999998', false],
  ['2.00000000000000000001', false],
  ['9007199254740993.0', false],
  ['9.007199254740993e15', false],
  ['9007199254740993e0', false],
  ['9007199254740994', true],
  ['5e-324', true],
  ['4.9e-324', true],
  ['3e-324', false],
  ['6.189700196426902e+26', true],
  ['0e99999', true],
  ['-0.0e-99999', true],
  ['1e400', false],
  ['-1e400', false],
  ['1e-400', false],
  ['123456789012345678901234567890', false],
] as const)('%s is kept by a double: %s', ([source, exact]) => {
  expect(isExactNumber(source)).toBe(exact);
});

const double = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -1074, max: 1023 }).map((power) => 2 ** power),
);

test('every double is kept in every way that JavaScript writes it, and with any digits beyond the seventeenth', () => {
  fc.assert(
    fc.property(
      double,
      fc.integer({ min: 17, max: 100 }),
      fc.integer({ min: 0, max: 100 }),
      (value, digits, places) => {
        const texts = [String(value), value.toExponential(), value.toPrecision(digits)];
        if (Number(value.toFixed(places)) === value) texts.push(value.toFixed(places));
        expect(texts.filter((text) => !isExactNumber(text))).toEqual([]);
      },
    ),
  );
});

/** The whole decimal expansion of a double ≥ 0, by arithmetic of its own: half a number has five times its digits. */
function expansionOf(value: number): string {
  let places = 0;
  let rest = value;
  for (; !Number.isInteger(rest) && rest < 2 ** 52; places++) rest *= 2;
  const digits = BigInt(rest) * 5n ** BigInt(places);
  const padded = String(digits).padStart(places + 1, '0');
  return `${padded.slice(0, padded.length - places)}.${padded.slice(padded.length - places)}0`;
}

test('every double is kept as its full expansion, and not with its last digit changed', () => {
  fc.assert(
    fc.property(double, (found) => {
      const value = Math.abs(found);
      const text = expansionOf(value);
      expect(Number(text)).toBe(value);
      expect(isExactNumber(text)).toBe(true);
      if (value > 0 && Number(`${text}1`) === value) expect(isExactNumber(`${text}1`)).toBe(false);
    }),
  );
});

test('the longest expansion of a double is looked at, and nothing longer than the bound', () => {
  const longest = `-${expansionOf(2 ** -1074)}`;
  expect([longest.length <= numberMaxLength, isExactNumber(longest)]).toEqual([true, true]);
  expect(isExactNumber('1'.padEnd(numberMaxLength, '0'))).toBe(false);
  expect(isExactNumber('1.'.padEnd(numberMaxLength, '0'))).toBe(true);
  expect(isExactNumber('1.'.padEnd(numberMaxLength + 1, '0'))).toBe(false);
});
