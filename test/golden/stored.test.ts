import {
  decodeHistory,
  decodeOutcome,
  decodeReceipt,
  decodeRows,
  encodeHistory,
  encodeOutcome,
  encodeReceipt,
  encodeRows,
  readAccountItem,
  readLedgerItem,
  toLedgerItem,
} from '@usher/limiter-core/bulk/dynamodb/items';
import { type } from 'arktype';
import { expect, test } from 'vitest';
import { readVector } from './read-vector.ts';

const Bytes = type({ bytes: type.instanceOf(Uint8Array), value: 'unknown' });
const Item = type({ item: { '[string]': 'unknown' }, value: 'unknown' });

test('an outcome', () => {
  const { bytes, value } = Bytes.assert(readVector('outcome'));
  const outcome = decodeOutcome(bytes, 'golden');
  expect(outcome).toEqual(value);
  expect(encodeOutcome(outcome)).toEqual(bytes);
});

test('a receipt', () => {
  const { bytes, value } = Bytes.assert(readVector('receipt'));
  const receipt = decodeReceipt(bytes, 'golden');
  expect([...receipt]).toEqual(value);
  expect(encodeReceipt(receipt)).toEqual(bytes);
});

test('a history', () => {
  const { bytes, value } = Bytes.assert(readVector('history'));
  const history = decodeHistory(bytes, 'golden');
  expect([...history]).toEqual(value);
  expect(encodeHistory(history)).toEqual(bytes);
});

test('a ledger item', () => {
  const { item, value } = Item.assert(readVector('ledger-item'));
  const entry = readLedgerItem(item);
  expect(entry).toEqual(value);
  const { rows, ...written } = toLedgerItem(entry);
  const { rows: deflated, ...rest } = item;
  expect(written).toEqual(rest);
  const Rows = type.instanceOf(Uint8Array);
  expect(decodeRows(Rows.assert(rows), 'golden')).toEqual(decodeRows(Rows.assert(deflated), 'golden'));
  expect(decodeRows(encodeRows(entry.rows ?? []), 'golden')).toEqual(entry.rows);
});

test('an account item', () => {
  const { item, value } = Item.assert(readVector('account-item'));
  const { usage, closed, receipts, ...rest } = readAccountItem(item);
  const lists = {
    usage: [...usage],
    closed: [...closed],
    receipts: [...receipts].map(([rev, one]) => [rev, [...one]]),
  };
  expect({ ...rest, ...lists }).toEqual(value);
  expect(encodeHistory(new Map([...usage].filter(([date]) => closed.has(date))))).toEqual(item.history);
  for (const [rev, receipt] of receipts) expect(encodeReceipt(receipt)).toEqual(item[`receipt:${rev}`]);
});
