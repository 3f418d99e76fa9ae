import { expect, test } from 'vitest';
import { Dispatch, dispatchIdOf, Pacing } from './dispatch.ts';
import { eventDetails, eventIds } from './event.ts';

const bookingId = `bk_${'a'.repeat(32)}`;
const at = '2026-11-29T12:00:00.000Z';
const window = {
  date: '2026-11-29',
  timezone: 'UTC',
  startsAt: '2026-11-29T00:00:00.000Z',
  resetsAt: '2026-11-30T00:00:00.000Z',
};

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
    reservations: [{ id: 'a', cost: 1, dispatchAt: at, details: { x: 1 } }],
  };
  expect(Pacing.allows(pacing)).toBe(true);
  for (const field of ['settledAt', 'refillPerSecond', 'burst'] as const) {
    const { [field]: _, ...rest } = pacing;
    expect(Pacing.allows(rest)).toBe(false);
  }
  expect(Pacing.allows({ ...pacing, refillPerSecond: 0 })).toBe(false);
});

test('every kind of event has a detail of metadata and data, and nothing else', () => {
  const metadata = { id: 'x', occurredAt: at, schemaVersion: 1 };
  const booking = { ...metadata, correlationId: bookingId };
  const amount = { count: 1, cost: 2 };
  const account = { accountId: 'acme', window, limit: 10, used: 8 };
  const chunk = { ...account, bookingId, chunk: 0 };
  const rejected = [{ id: 'a', cost: 2, reason: 'exceeds_limit' }];
  const details = {
    'Reservations Rejected': { metadata: booking, data: { ...chunk, mode: 'observe', reservations: rejected } },
    'Quota Usage Recorded': { metadata: booking, data: { ...chunk, granted: amount, rejected: amount } },
    'Quota Threshold Reached': { metadata: booking, data: { ...account, threshold: 0.8 } },
    'Message Quarantined': { metadata, data: { reason: 'invalid_json', messageId: 'm' } },
  };
  for (const [detailType, detail] of Object.entries(details)) {
    const schema = Object.entries(eventDetails).find(([name]) => name === detailType)?.[1];
    expect([detailType, schema?.allows(detail)]).toEqual([detailType, true]);
    expect(schema?.allows({ ...detail, extra: 1 })).toBe(false);
    expect(schema?.allows({ ...detail, data: { ...detail.data, details: {} } })).toBe(false);
    expect(schema?.allows({ metadata: detail.metadata })).toBe(false);
  }
  expect(Object.keys(details)).toEqual(Object.keys(eventDetails));
});

test('ids of events are made of what they tell of', () => {
  expect(eventIds.rejected({ bookingId: 'b', chunkIndex: 1, part: 2 })).toBe('b#1#rejected#2');
  expect(eventIds.usage({ bookingId: 'b', chunkIndex: 1 })).toBe('b#1#usage');
  expect(eventIds.threshold({ accountId: 'a', date: '2026-11-29', limit: 10, threshold: 0.8 })).toBe(
    'a#2026-11-29#10#0.8',
  );
  expect(eventIds.quarantined('m')).toBe('m');
});
