import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { CorruptItemError } from '../../errors.ts';
import type { LedgerEntry } from '../ledger.ts';
import type { RejectReason } from '../outcome.ts';
import { outcomes } from '../testing/arbitraries.ts';
import { dayMs, noon, outcomeOf } from '../testing/build.ts';
import { itemBytes } from './item-bytes.ts';
import { readLedgerItem, toLedgerItem } from './ledger-item.ts';
import { encodeRows } from './row-bytes.ts';

const entry: LedgerEntry = {
  bookingId: 'bk_a',
  chunkIndex: 7,
  accountId: 'acme',
  outcome: outcomeOf({ reasons: [null, 'daily_quota_exceeded'], grantedCost: 3, rejectedCost: 4 }),
  rows: [
    { id: 'A-1', cost: 3 },
    { id: 'A-2', cost: 4 },
  ],
};

test('an entry is read back as it was written, with and without its rows', () => {
  expect(readLedgerItem(toLedgerItem(entry))).toEqual(entry);
  const { rows: _, ...bare } = entry;
  expect(toLedgerItem(bare)).toMatchObject({ complete: false });
  expect(readLedgerItem(toLedgerItem(bare))).toEqual(bare);
  fc.assert(
    fc.property(outcomes, (outcome) => {
      const rows = outcome.reasons.map((reason, row) => ({ id: String(reason), cost: row + 1 }));
      expect(readLedgerItem(toLedgerItem({ ...entry, outcome, rows }))).toEqual({ ...entry, outcome, rows });
    }),
  );
});

test('an item spells out what reports look for, sorts by chunk and lasts sixty days from its settling', () => {
  expect(toLedgerItem(entry)).toMatchObject({
    pk: 'ledger#bk_a',
    sk: 'c#00007',
    date: '2026-11-29',
    granted: 3,
    rejected: 4,
    complete: true,
    expiresAt: (noon + 60 * dayMs) / 1000,
  });
});

test('writing an entry twice gives the same content', () => {
  expect(toLedgerItem(structuredClone(entry))).toEqual(toLedgerItem(entry));
});

test.each([
  { damage: { outcome: 'text' }, names: 'outcome' },
  { damage: { outcome: Uint8Array.of(9) }, names: 'version 9' },
  { damage: { accountId: 5 }, names: 'accountId' },
  { damage: { rows: encodeRows([{ id: 'A-1', cost: 3 }]) }, names: '2 entries' },
  { damage: { rows: Uint8Array.of(7) }, names: 'deflated text' },
])('a damaged item is refused by name ($names)', ({ damage, names }) => {
  const read = (): unknown => readLedgerItem({ ...toLedgerItem(entry), ...damage });
  expect(read).toThrow(CorruptItemError);
  expect(read).toThrow(names);
  expect(read).toThrow('ledger#bk_a c#00007');
});

test('an item whose keys name no chunk is refused', () => {
  for (const keys of [{ pk: 'x' }, { sk: 'c#x' }]) {
    expect(() => readLedgerItem({ ...toLedgerItem(entry), ...keys })).toThrow('its keys must name a chunk');
  }
});

describe('a chunk of a hundred rows, denials among them', () => {
  const sizeWith = (idOf: (row: number) => string): number => {
    const rows = Array.from({ length: 100 }, (_, row) => ({ id: idOf(row), cost: (row % 3) + 1 }));
    const reasons = rows.map((_, row): RejectReason | null => (row % 7 === 0 ? 'daily_quota_exceeded' : null));
    const outcome = outcomeOf({ reasons, grantedCost: 170, rejectedCost: 30, usedBefore: 4700, limit: 10_000 });
    return itemBytes(
      toLedgerItem({ bookingId: `bk_${'a'.repeat(35)}`, chunkIndex: 99, accountId: 'a'.repeat(36), outcome, rows }),
    );
  };

  test('is an item of one write unit where ids are alike', () => {
    expect(sizeWith((row) => `DTWLAS-0101-${String(row + 47).padStart(4, '0')}`)).toBeLessThanOrEqual(1024);
  });

  test('is an item of three write units where ids are UUIDs', () => {
    const uuidOf = (row: number): string =>
      createHash('sha256')
        .update(`row ${row}`)
        .digest('hex')
        .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5');
    expect(sizeWith(uuidOf)).toBeLessThanOrEqual(3 * 1024);
  });
});
