import { expect, test } from 'vitest';
import { Dispatch, dispatchIdOf, Pacing } from './dispatch.ts';

const bookingId = `bk_${'a'.repeat(35)}`;
const at = '2026-11-29T12:00:00.000Z';

test('a dispatch is named by booking, chunk and slot', () => {
  const dispatchId = dispatchIdOf({ bookingId, chunkIndex: 3, slot: 42 });
  expect(dispatchId).toBe(`${bookingId}#3#42`);
  const dispatch = {
    v: 1,
    dispatchId,
    bookingId,
    accountId: 'acme',
    dispatchAt: at,
    reservations: [{ id: 'a', cost: 1 }],
  };
  expect(Dispatch.allows(dispatch)).toBe(true);
  expect(Dispatch.allows({ ...dispatch, dispatchId: `${bookingId}#3` })).toBe(false);
  expect(Dispatch.allows({ ...dispatch, reservations: [] })).toBe(false);
});

test('a pacing message says what its slots are counted from and how fast overdue rows may go', () => {
  const pacing = {
    v: 1,
    bookingId,
    chunk: 0,
    accountId: 'acme',
    settledAt: at,
    refillPerSecond: 0.1,
    burst: 20,
    hop: 3,
    copy: 'id-7',
    reservations: [{ id: 'a', cost: 1, dispatchAt: at, details: { x: 1 } }],
  };
  expect(Pacing.allows(pacing)).toBe(true);
  for (const field of ['settledAt', 'refillPerSecond', 'burst', 'hop', 'copy'] as const) {
    const { [field]: _, ...rest } = pacing;
    expect(Pacing.allows(rest)).toBe(false);
  }
  expect(Pacing.allows({ ...pacing, refillPerSecond: 0 })).toBe(false);
  expect(Pacing.allows({ ...pacing, hop: -1 })).toBe(false);
  expect(Pacing.allows({ ...pacing, copy: '' })).toBe(false);
});

test.each([
  ['a millisecond before its decision', '2026-11-29T11:59:59.999Z', false],
  ['at its decision', at, true],
  ['twelve days after it', '2026-12-11T12:00:00.000Z', true],
  ['a millisecond later', '2026-12-11T12:00:00.001Z', false],
  ['at an instant that never comes', '9999-12-31T00:00:00.000Z', false],
])('of a row that is due %s a pacing message is read: %s, %s', (_, dispatchAt, isRead) => {
  const row = { id: 'a', cost: 1, dispatchAt: at };
  const pacing = {
    v: 1,
    bookingId,
    chunk: 0,
    accountId: 'acme',
    settledAt: at,
    refillPerSecond: 1,
    burst: 1,
    hop: 0,
    copy: 'id-7',
    reservations: [row, { ...row, id: 'b', dispatchAt }],
  };
  expect(Pacing.allows(pacing)).toBe(isRead);
});
