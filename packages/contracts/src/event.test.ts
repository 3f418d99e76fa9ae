import { expect, test } from 'vitest';
import { eventDetails, eventIds } from './event.ts';

const bookingId = `bk_${'a'.repeat(35)}`;
const at = '2026-11-29T12:00:00.000Z';
const window = {
  date: '2026-11-29',
  timezone: 'UTC',
  startsAt: '2026-11-29T00:00:00.000Z',
  resetsAt: '2026-11-30T00:00:00.000Z',
};

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

test("an event's id is made of the names of its subject", () => {
  expect(eventIds.rejected({ bookingId: 'b', chunkIndex: 1, part: 2 })).toBe('b#1#rejected#2');
  expect(eventIds.usage({ bookingId: 'b', chunkIndex: 1 })).toBe('b#1#usage');
  expect(eventIds.threshold({ bookingId: 'b', chunkIndex: 1, threshold: 0.8 })).toBe('b#1#threshold#day#0.8');
  expect(eventIds.quarantined('m')).toBe('m');
});
