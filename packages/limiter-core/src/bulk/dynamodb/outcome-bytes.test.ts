import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CorruptItemError } from '../../errors.ts';
import { type RejectReason, rejectReasons } from '../outcome.ts';
import type { Policy } from '../policy.ts';
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

test('rows with mixed reasons take three bits each, rows all alike one byte together', () => {
  const reasons = usual.reasons.map((_, row): RejectReason | null => (row < 60 ? null : 'daily_quota_exceeded'));
  const mixed = encodeOutcome({ ...usual, reasons });
  expect(mixed.length - encodeOutcome(usual).length).toBe(37);
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
  expect(() => decodeOutcome(Uint8Array.of(1, ...bytes.slice(1)), 'x')).toThrow('version 1');
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
  const anything = fc.uint8Array({ maxLength: 200 }).map((rest) => Uint8Array.of(2, ...rest));
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

test('modes not known are refused', () => {
  const withMode = (policyMode: Policy['mode']) => encodeOutcome(outcomeOf({ policyMode }));
  const place = withMode('observe').findIndex((byte, at) => byte !== withMode('enforce')[at]);
  expect(() => decodeOutcome(withMode('enforce').with(place, 2), 'x')).toThrow('mode 2 is not known');
});

test('forms and codes of reasons not known are refused: none may pass for a grant', () => {
  // The last three bytes: number of rows, form of their reasons, code.
  const start = encodeOutcome(outcomeOf({ reasons: [null] })).slice(0, -3);
  const codes = rejectReasons.length + 1;
  expect(decodeOutcome(Uint8Array.of(...start, 1, 0, 1), 'x').reasons).toEqual(['daily_quota_exceeded']);
  expect(() => decodeOutcome(Uint8Array.of(...start, 1, 0, codes), 'x')).toThrow(`code ${codes} of a reason`);
  expect(() => decodeOutcome(Uint8Array.of(...start, 1, 1, codes), 'x')).toThrow(`code ${codes} of a reason`);
  expect(() => decodeOutcome(Uint8Array.of(...start, 1, 2, 0), 'x')).toThrow('form of reasons 2 is not known');
});

test.each([null, ...rejectReasons])('the reason %s is read back from its bits wherever its row stands', (reason) => {
  const other = reason === null ? 'exceeds_limit' : null;
  for (let row = 0; row < 9; row++) {
    const reasons = new Array<RejectReason | null>(9).fill(other).with(row, reason);
    expect(decodeOutcome(encodeOutcome(outcomeOf({ reasons })), 'x').reasons).toEqual(reasons);
  }
});

test('a reason without a code is not written', () => {
  const unknown = JSON.parse('["account_suspended"]');
  expect(() => encodeOutcome(outcomeOf({ reasons: unknown }))).toThrow('the reason account_suspended has no code');
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
  expect(() => decodeOutcome(Uint8Array.of(...bytes.slice(0, -3), ...billionRows, 0, 0), 'x')).toThrow(
    '1000000000 rows',
  );
});

test('a value that is no outcome is not written', () => {
  for (const digest of ['ABC', '0'.repeat(31), `x${'0'.repeat(32)}`, `${'0'.repeat(32)}x`]) {
    expect(() => encodeOutcome(outcomeOf({ digest }))).toThrow('a digest must be 32 hexadecimal digits');
  }
  expect(() => encodeOutcome(outcomeOf({ usedBefore: -1 }))).toThrow(RangeError);
  for (const date of ['yesterday', '2026-02-30', '2026-11', '2026-11-29T00:00Z', '2026-11-29T05:00Z', '1969-12-31']) {
    expect(() => encodeOutcome(outcomeOf({ date }))).toThrow(RangeError);
  }
  expect(() => encodeOutcome(outcomeOf({ settledAtMs: noon + 0.5 }))).toThrow(RangeError);
});
