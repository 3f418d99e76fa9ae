import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CorruptItemError } from '../errors.ts';
import type { LedgerEntry } from '../ledger.ts';
import { outcomes } from '../testing/arbitraries.ts';
import { dayMs, noon, outcomeOf } from '../testing/build.ts';
import { readLedgerItem, toLedgerItem } from './ledger-item.ts';

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
    pk: 'booking#bk_a',
    sk: 'chunk#00007',
    date: '2026-11-29',
    granted: 3,
    rejected: 4,
    complete: true,
    ids: ['A-1', 'A-2'],
    costs: '3,4',
    expiresAt: (noon + 60 * dayMs) / 1000,
  });
});

test('an item with only a part of its rows is read as one without rows', () => {
  const { ids, costs, ...item } = toLedgerItem(entry);
  expect(readLedgerItem({ ...item, ids })).not.toHaveProperty('rows');
  expect(readLedgerItem({ ...item, costs })).not.toHaveProperty('rows');
});

test('writing an entry twice gives the same content', () => {
  expect(toLedgerItem(structuredClone(entry))).toEqual(toLedgerItem(entry));
});

test.each([
  { damage: { outcome: 'text' }, names: 'outcome' },
  { damage: { outcome: Uint8Array.of(9) }, names: 'version 9' },
  { damage: { accountId: 5 }, names: 'accountId' },
  { damage: { chunk: -1 }, names: 'chunk' },
  { damage: { ids: ['A-1'] }, names: '2 entries' },
  { damage: { costs: '1,2,3' }, names: '2 entries' },
  { damage: { costs: '3,,4' }, names: 'costs' },
])('a damaged item is refused by name ($names)', ({ damage, names }) => {
  const read = (): unknown => readLedgerItem({ ...toLedgerItem(entry), ...damage });
  expect(read).toThrow(CorruptItemError);
  expect(read).toThrow(names);
  expect(read).toThrow('booking#bk_a chunk#00007');
});
