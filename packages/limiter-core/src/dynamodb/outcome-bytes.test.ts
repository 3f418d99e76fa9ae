import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CorruptItemError } from '../errors.ts';
import type { RejectReason } from '../outcome.ts';
import { outcomes } from '../testing/arbitraries.ts';
import { noon, outcomeOf } from '../testing/build.ts';
import { decodeOutcome, encodeOutcome } from './outcome-bytes.ts';

const usual = outcomeOf({
  digest: '0123456789abcdef0123456789abcdef',
  reasons: new Array<null>(100).fill(null),
  usedBefore: 4700,
  grantedCost: 180,
  limit: 10_000,
  limitBefore: 10_000,
  debtMicros: 12_345_678,
});

test('an outcome is read back as it was written, whatever it holds', () => {
  fc.assert(
    fc.property(outcomes, (outcome) => {
      expect(decodeOutcome(encodeOutcome(outcome), 'x')).toEqual(outcome);
    }),
    { numRuns: 500 },
  );
});

test('ten receipts of a hundred granted rows each, with their names, fit one write unit', () => {
  const name = `receipt:bk_${'a'.repeat(32)}#99`;
  expect(10 * (encodeOutcome(usual).length + name.length)).toBeLessThanOrEqual(1024);
});

test('rows with mixed reasons take two bits each, rows all alike one byte together', () => {
  const reasons = usual.reasons.map((_, row): RejectReason | null => (row < 60 ? null : 'daily_quota_exceeded'));
  const mixed = encodeOutcome({ ...usual, reasons });
  expect(mixed.length - encodeOutcome(usual).length).toBe(25);
  const rejected = encodeOutcome({ ...usual, reasons: usual.reasons.map(() => 'daily_quota_exceeded') });
  expect(rejected.length).toBe(encodeOutcome(usual).length);
});

test('no limit before and a limit before of 0 are told apart', () => {
  for (const limitBefore of [null, 0]) {
    expect(decodeOutcome(encodeOutcome(outcomeOf({ limitBefore })), 'x').limitBefore).toBe(limitBefore);
  }
});

test('bytes cut short anywhere are refused with the name of the item', () => {
  const bytes = encodeOutcome(usual);
  for (let length = 0; length < bytes.length; length++) {
    const read = (): unknown => decodeOutcome(bytes.slice(0, length), 'account#acme receipt:bk_a#0');
    expect(read).toThrow(CorruptItemError);
    expect(read).toThrow('account#acme receipt:bk_a#0');
  }
});

test('bytes that go on after the end and versions not known are refused', () => {
  const bytes = encodeOutcome(usual);
  expect(() => decodeOutcome(Uint8Array.of(...bytes, 0), 'x')).toThrow('go on');
  expect(() => decodeOutcome(Uint8Array.of(2, ...bytes.slice(1)), 'x')).toThrow('version 2');
});

test('the stored form stays what it is: bytes of the table are read as they were written', () => {
  const outcome = outcomeOf({
    digest: '0123456789abcdef'.repeat(2),
    reasons: [null, 'daily_quota_exceeded', 'exceeds_limit', 'pacing_backlog_full', null],
    usedBefore: 300,
    grantedCost: 2,
    rejectedCost: 40,
    limit: 1000,
    debtMicros: 1_234_567,
    refillPerSecond: 0.1,
    policyMode: 'observe',
  });
  const stored = '010123456789abcdef0123456789abcdefb2a20180ccb4b9a234ac020228e8070087ad4b6f011401026f0870010504e400';
  expect(Buffer.from(encodeOutcome(outcome)).toString('hex')).toBe(stored);
  expect(decodeOutcome(Uint8Array.from(Buffer.from(stored, 'hex')), 'x')).toEqual(outcome);
});

test('any bytes are refused or spell an outcome that can be written again', () => {
  const bytes = encodeOutcome(usual);
  const damaged = fc
    .array(fc.tuple(fc.nat(bytes.length - 1), fc.nat(255)), { minLength: 1, maxLength: 4 })
    .map((changes) => {
      const copy = Uint8Array.from(bytes);
      for (const [at, value] of changes) copy[at] = value;
      return copy;
    });
  const anything = fc.uint8Array({ maxLength: 200 }).map((rest) => Uint8Array.of(1, ...rest));
  fc.assert(
    fc.property(fc.oneof(damaged, anything), (candidate) => {
      let outcome: ReturnType<typeof decodeOutcome>;
      try {
        outcome = decodeOutcome(candidate, 'x');
      } catch (error) {
        expect(error).toBeInstanceOf(CorruptItemError);
        return;
      }
      expect(decodeOutcome(encodeOutcome(outcome), 'x')).toEqual(outcome);
    }),
    { numRuns: 2000 },
  );
});

test('modes and forms of reasons not known are refused', () => {
  // The last four bytes: mode, number of thresholds, number of rows, form of their reasons.
  const start = encodeOutcome(outcomeOf({ thresholds: [], reasons: [] })).slice(0, -4);
  expect(decodeOutcome(Uint8Array.of(...start, 1, 0, 0, 0), 'x').policyMode).toBe('observe');
  expect(() => decodeOutcome(Uint8Array.of(...start, 2, 0, 0, 0), 'x')).toThrow('mode 2 is not known');
  expect(() => decodeOutcome(Uint8Array.of(...start, 0, 0, 0, 5), 'x')).toThrow('form of reasons 5 is not known');
});

test('a million rows are written and read, one more is refused', () => {
  const rows = (length: number): Uint8Array =>
    encodeOutcome(outcomeOf({ reasons: new Array<null>(length).fill(null) }));
  expect(decodeOutcome(rows(1_000_000), 'x').reasons).toHaveLength(1_000_000);
  expect(() => rows(1_000_001)).toThrow('at most 1000000 rows');
});

test('a row count that no chunk has is refused before memory is asked for it', () => {
  const bytes = encodeOutcome(outcomeOf({ reasons: [] }));
  const billionRows = [0x80, 0x94, 0xeb, 0xdc, 0x03];
  expect(() => decodeOutcome(Uint8Array.of(...bytes.slice(0, -2), ...billionRows, 0), 'x')).toThrow('1000000000 rows');
});

test('a value that is no outcome is not written', () => {
  for (const digest of ['ABC', '0'.repeat(31), `x${'0'.repeat(32)}`, `${'0'.repeat(32)}x`]) {
    expect(() => encodeOutcome(outcomeOf({ digest }))).toThrow('a digest must be 32 hexadecimal digits');
  }
  expect(() => encodeOutcome(outcomeOf({ usedBefore: -1 }))).toThrow(RangeError);
  expect(() => encodeOutcome(outcomeOf({ date: 'yesterday' }))).toThrow(RangeError);
  expect(() => encodeOutcome(outcomeOf({ settledAtMs: noon + 0.5 }))).toThrow(RangeError);
});
