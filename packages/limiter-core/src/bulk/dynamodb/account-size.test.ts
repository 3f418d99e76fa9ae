import { describe, expect, test } from 'vitest';
import { type AccountState, newAccount, type Receipt } from '../account.ts';
import { sizeOf } from '../account-size.ts';
import type { RejectReason } from '../outcome.ts';
import { dayMs, noon, outcomeOf } from '../testing/build.ts';
import { encodeHistory } from './history-bytes.ts';
import { itemBytes } from './item-bytes.ts';
import { keys } from './keys.ts';
import { encodeReceipt } from './receipt-bytes.ts';

const bookingId = `bk_${'a'.repeat(35)}`;
const accountId = 'partner-of-usual-length';

/** A receipt of so many chunks of a hundred rows, some of them rejected where `mixed`. */
function receiptOf(chunks: number, { mixed = true, booking = bookingId } = {}): Receipt {
  const reasons = Array.from({ length: 100 }, (_, row): RejectReason | null =>
    mixed && row % 9 === 0 ? 'daily_quota_exceeded' : null,
  );
  const outcome = outcomeOf({
    reasons,
    usedBefore: 123_456,
    grantedCost: 1000,
    rejectedCost: 100,
    limit: 1_000_000,
    limitBefore: 1_000_000,
    debtMicros: 12_345_678,
  });
  return new Map(Array.from({ length: chunks }, (_, chunk) => [`${booking}#${chunk}`, outcome]));
}

function accountWith(receipts: readonly Receipt[], closedDays: number) {
  const usage = { used: 123_456, rejected: 500, over: 0, limit: 1_000_000 };
  const dateOf = (daysAgo: number): string => new Date(noon - daysAgo * dayMs).toISOString().slice(0, 10);
  const history = new Map(Array.from({ length: closedDays }, (_, day) => [dateOf(day + 3), usage]));
  const state: AccountState = {
    ...newAccount,
    rev: 1000,
    usage: new Map([...history, [dateOf(0), usage]]),
    closed: new Set(history.keys()),
    receipts: new Map(receipts.map((receipt, at) => [1000 + at, receipt])),
  };
  const item = {
    ...keys.account(accountId),
    rev: 1000,
    [`used:${dateOf(0)}`]: usage.used,
    [`rejected:${dateOf(0)}`]: usage.rejected,
    [`limit:${dateOf(0)}`]: usage.limit,
    tat: noon * 1000 + 12_345_678,
    refill: 0.1,
    burst: 20,
    asOf: noon,
    ...(closedDays > 0 ? { history: encodeHistory(history) } : {}),
    ...Object.fromEntries(receipts.map((receipt, at) => [`receipt:${1000 + at}`, encodeReceipt(receipt)])),
  };
  return { account: { accountId, state }, item };
}

describe('the estimated size of an account', () => {
  test.each([
    { story: 'without receipts', receipts: [], closedDays: 0 },
    { story: 'with a month of history', receipts: [], closedDays: 30 },
    { story: 'with ten chunks of one write', receipts: [receiptOf(10)], closedDays: 30 },
    { story: 'with ten chunks granted whole', receipts: [receiptOf(10, { mixed: false })], closedDays: 0 },
    { story: 'with a chunk of each of four writes', receipts: [0, 1, 2, 3].map(() => receiptOf(1)), closedDays: 5 },
  ])('$story is what its item takes, within a fifth', ({ receipts, closedDays }) => {
    const { account, item } = accountWith(receipts, closedDays);
    const ratio = sizeOf(account, []) / itemBytes(item);
    expect(ratio).toBeGreaterThan(0.8);
    expect(ratio).toBeLessThan(1.2);
  });

  test('of one that is to settle chunks is what it takes afterwards', () => {
    const rows = Array.from({ length: 100 }, () => ({}));
    const chunks = Array.from({ length: 10 }, (_, chunkIndex) => ({ bookingId, chunkIndex, rows }));
    const before = accountWith([], 30).account;
    const ratio = sizeOf(before, chunks) / itemBytes(accountWith([receiptOf(10)], 30).item);
    expect(ratio).toBeGreaterThan(0.8);
    expect(ratio).toBeLessThan(1.2);
  });
});

test('ten outcomes and a day fit one write unit, with a month of history two', () => {
  expect(itemBytes(accountWith([receiptOf(10, { mixed: false })], 0).item)).toBeLessThanOrEqual(1024);
  expect(itemBytes(accountWith([receiptOf(10)], 30).item)).toBeLessThanOrEqual(2048);
});
