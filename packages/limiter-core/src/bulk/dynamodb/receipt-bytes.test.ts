import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CorruptItemError } from '../../errors.ts';
import { receipts } from '../testing/arbitraries.ts';
import { outcomeOf } from '../testing/build.ts';
import { decodeReceipt, encodeReceipt } from './receipt-bytes.ts';

const usual = new Map([
  ['bk_a#0', outcomeOf()],
  ['bk_b#7', outcomeOf({ date: '2026-11-28', debtMicros: 5 })],
]);

test('a receipt is read back as it was written, whatever it holds, in its order', () => {
  fc.assert(
    fc.property(receipts, (receipt) => {
      const read = decodeReceipt(encodeReceipt(receipt), 'x');
      expect([...read]).toEqual([...receipt]);
    }),
    { numRuns: 300 },
  );
});

test('a receipt says once what its outcomes have in common', () => {
  const bookingId = `bk_${'a'.repeat(35)}`;
  const receiptOf = (chunks: number) =>
    encodeReceipt(new Map(Array.from({ length: chunks }, (_, chunk) => [`${bookingId}#${chunk}`, outcomeOf()])));
  expect(receiptOf(1).length).toBeLessThanOrEqual(95);
  expect(receiptOf(10).length - receiptOf(9).length).toBeLessThanOrEqual(32);
});

test('outcomes of different terms, and none at all, are no receipt', () => {
  for (const fields of [
    { settledAtMs: 5 },
    { limit: 11 },
    { refillPerSecond: 9 },
    { burst: 21 },
    { policyMode: 'observe' as const },
    { thresholds: [0.8] },
  ]) {
    const mixed = new Map([...usual, ['bk_a#1', outcomeOf(fields)]]);
    expect(() => encodeReceipt(mixed)).toThrow('the same terms');
  }
  expect(() => encodeReceipt(new Map())).toThrow('must have an outcome');
});

test.each(['bk\na#0', 'bk\u2028a#0', 'bk\ud800#0', `${'x'.repeat(129)}#0`, 'bk_a#100000', 'bk_a#1.5', 'bk_a'])(
  'an outcome of what is no chunk is not written, for the account could not be read any more (%j)',
  (id) => {
    expect(() => encodeReceipt(new Map([[id, outcomeOf()]]))).toThrow(RangeError);
  },
);

test('the longest booking id and the last chunk are read back', () => {
  const receipt = new Map([[`${'x'.repeat(128)}#99999`, outcomeOf()]]);
  expect(decodeReceipt(encodeReceipt(receipt), 'x')).toEqual(receipt);
});

describe('bytes that are no receipt', () => {
  const bytes = encodeReceipt(usual);

  test('cut short anywhere, too long or of another version are refused with the name of the item', () => {
    for (let length = 0; length < bytes.length; length++) {
      const read = (): unknown => decodeReceipt(bytes.slice(0, length), 'account#acme receipt:7');
      expect(read).toThrow(CorruptItemError);
      expect(read).toThrow('account#acme receipt:7');
    }
    expect(() => decodeReceipt(Uint8Array.of(...bytes, 0), 'x')).toThrow('go on');
    expect(() => decodeReceipt(bytes.with(0, 2), 'x')).toThrow('receipt version 2');
  });

  test('of no outcome are refused', () => {
    const terms = bytes.slice(0, Buffer.from(bytes).indexOf('bk_a') - 2);
    expect(() => decodeReceipt(Uint8Array.of(...terms, 0, 0), 'x')).toThrow('a receipt must have an outcome');
  });

  test('damaged anywhere are refused or spell a receipt that can be written again', () => {
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(255), (at, value) => {
        let receipt: ReturnType<typeof decodeReceipt>;
        try {
          receipt = decodeReceipt(bytes.with(at, value), 'x');
        } catch (error) {
          expect(error).toBeInstanceOf(CorruptItemError);
          return;
        }
        expect(decodeReceipt(encodeReceipt(receipt), 'x')).toEqual(receipt);
      }),
      { numRuns: 1000 },
    );
  });
});
