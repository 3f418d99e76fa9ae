import { expect, test } from 'vitest';
import { CorruptItemError } from '../../errors.ts';
import { newAccount } from '../account.ts';
import { outcomeOf } from '../testing/build.ts';
import { readAccountItem } from './account-item.ts';
import { encodeHistory } from './history-bytes.ts';
import { encodeReceipt } from './receipt-bytes.ts';

/** The bytes of a receipt with one byte of its chunk's id changed, found by those around it. */
function forgedReceipt(chunkId: string, { from, to }: { from: readonly number[]; to: number }): Uint8Array {
  const bytes = encodeReceipt(new Map([[chunkId, outcomeOf()]]));
  return bytes.with(Buffer.from(bytes).indexOf(Buffer.from(from)), to);
}
const newline = 10;

const item = {
  pk: 'account#acme',
  sk: 'quota',
  rev: 3,
  'used:2026-11-29': 7,
  'rejected:2026-11-29': 2,
  'limit:2026-11-29': 10,
  'over:2026-11-28': 1,
  tat: 1_764_417_600_000_000,
  refill: 0.1,
  burst: 3,
  asOf: 1_764_417_599_000,
  history: encodeHistory(new Map([['2026-11-20', { used: 5, rejected: 0, over: 0, limit: null }]])),
  'receipt:3': encodeReceipt(new Map([['bk_a#12', outcomeOf()]])),
};

test('an item is read into usage by date, bucket and receipts by chunk id', () => {
  expect(readAccountItem(item)).toEqual({
    rev: 3,
    usage: new Map([
      ['2026-11-29', { used: 7, rejected: 2, over: 0, limit: 10 }],
      ['2026-11-28', { used: 0, rejected: 0, over: 1, limit: null }],
      ['2026-11-20', { used: 5, rejected: 0, over: 0, limit: null }],
    ]),
    closed: new Set(['2026-11-20']),
    bucket: { tatMicros: 1_764_417_600_000_000, refillPerSecond: 0.1, burst: 3, asOfMs: 1_764_417_599_000 },
    receipts: new Map([[3, new Map([['bk_a#12', outcomeOf()]])]]),
  });
});

test('an item without a TAT has no bucket, and attributes of other names are left alone', () => {
  const state = readAccountItem({ pk: 'account#acme', rev: 1, note: 'x', limits: 5, 'memo:2026-11-29': 'y' });
  expect(state).toEqual({ ...newAccount, rev: 1 });
});

test.each([
  { damage: { rev: undefined }, names: 'rev' },
  { damage: { rev: 1.5 }, names: 'rev' },
  { damage: { 'used:2026-11-29': -1 }, names: 'used:2026-11-29' },
  { damage: { 'used:2026-11-29': '7' }, names: 'used:2026-11-29' },
  { damage: { 'limit:2026-11-29': 2 ** 53 }, names: 'limit:2026-11-29' },
  { damage: { tat: -1 }, names: 'tat' },
  { damage: { refill: 0 }, names: 'refill' },
  { damage: { refill: undefined }, names: 'refill' },
  { damage: { burst: 0 }, names: 'burst' },
  { damage: { burst: undefined }, names: 'burst' },
  { damage: { asOf: 1.5 }, names: 'asOf' },
  { damage: { 'receipt:bk_a': Uint8Array.of(1) }, names: 'receipt:bk_a must name a rev' },
  { damage: { 'receipt:0': Uint8Array.of(1) }, names: 'receipt:0 must name a rev' },
  { damage: { 'receipt:3': 'text' }, names: 'receipt:3 must be binary' },
  { damage: { 'receipt:3': Uint8Array.of(1, 2) }, names: 'receipt:3' },
  {
    damage: { 'receipt:3': forgedReceipt('bk_a#1', { from: [...Buffer.from('_a')], to: newline }) },
    names: 'must name a chunk',
  },
  {
    damage: { 'receipt:3': forgedReceipt('bk_a#99999', { from: [0x9f, 0x8d, 0x06], to: 0xa0 }) },
    names: 'must name a chunk',
  },
  { damage: { history: 'text' }, names: 'history must be binary' },
  { damage: { history: Uint8Array.of(9) }, names: 'history version 9' },
  { damage: { 'used:2026-11-20': 5 }, names: '2026-11-20 is in history and has counters' },
])('nothing is decided on an item whose attribute cannot be read ($names)', ({ damage, names }) => {
  const read = (): unknown => readAccountItem({ ...item, ...damage });
  expect(read).toThrow(CorruptItemError);
  expect(read).toThrow(names);
});
