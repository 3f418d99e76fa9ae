import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CorruptItemError } from '../../errors.ts';
import { decodeHistory, encodeHistory } from './history-bytes.ts';

const dates = fc
  .date({ min: new Date('1970-01-01'), max: new Date('2999-12-31'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
const usages = fc.record({
  used: fc.maxSafeNat(),
  rejected: fc.maxSafeNat(),
  over: fc.maxSafeNat(),
  limit: fc.option(fc.maxSafeNat().map((limit) => Math.min(limit, Number.MAX_SAFE_INTEGER - 1))),
});

test('closed windows are read back as they were written, in the order of their dates', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.tuple(dates, usages), { selector: ([date]) => date, maxLength: 40 }), (list) => {
      const read = decodeHistory(encodeHistory(new Map(list)), 'x');
      expect(read).toEqual(new Map(list));
      expect([...read.keys()]).toEqual([...read.keys()].sort());
    }),
  );
});

test('a month of usual windows takes a third of a kilobyte', () => {
  const month = Array.from({ length: 31 }, (_, day) => {
    return [
      `2026-10-${String(day + 1).padStart(2, '0')}`,
      { used: 9_500, rejected: 500, over: 0, limit: 10_000 },
    ] as const;
  });
  expect(encodeHistory(new Map(month)).length).toBeLessThanOrEqual(340);
});

test('bytes cut short anywhere, too long, of another version or with a date twice are refused', () => {
  const bytes = encodeHistory(new Map([['2026-11-20', { used: 300, rejected: 0, over: 0, limit: 7 }]]));
  for (let length = 0; length < bytes.length; length++) {
    const read = (): unknown => decodeHistory(bytes.slice(0, length), 'account#acme history');
    expect(read).toThrow(CorruptItemError);
    expect(read).toThrow('account#acme history');
  }
  expect(() => decodeHistory(Uint8Array.of(...bytes, 0), 'x')).toThrow('go on');
  expect(() => decodeHistory(bytes.with(0, 2), 'x')).toThrow('history version 2');
  expect(() => decodeHistory(Uint8Array.of(1, 2, 9, 0, 0, 0, 0, 0, 0, 0, 0, 0), 'x')).toThrow('a date is in it twice');
});
