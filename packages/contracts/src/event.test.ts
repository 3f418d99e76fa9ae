import { type } from 'arktype';
import { expect, test } from 'vitest';
import { DailyQuotaReport, eventDetails, eventIds, MessageQuarantined, QuotaUsageRecorded } from './event.ts';

const bookingId = `bk_${'a'.repeat(35)}`;
const at = '2026-11-29T12:00:00.000Z';
const window = {
  date: '2026-11-29',
  timezone: 'UTC',
  startsAt: '2026-11-29T00:00:00.000Z',
  resetsAt: '2026-11-30T00:00:00.000Z',
};

const metadata = { id: 'x', occurredAt: at, schemaVersion: 1 };
const booking = { ...metadata, correlationId: bookingId };
const amount = { count: 1, cost: 2 };
const none = { count: 0, cost: 0, byReason: {} };
const refused = { ...amount, byReason: { exceeds_limit: amount } };
const account = { accountId: 'acme', window, limit: 10, used: 8 };
const chunk = { ...account, bookingId, chunk: 0 };
const usage = { ...chunk, acceptedAt: at, decidedAt: at, mode: 'enforce', granted: amount, rejected: refused };
const report = {
  date: '2026-11-29',
  timezone: 'Europe/Berlin',
  state: 'provisional',
  run: 1,
  totals: { accounts: 2, granted: amount, rejected: refused },
  files: [{ name: '2026-11-29/Europe/Berlin/report.json', bytes: 120, sha256: 'a'.repeat(64) }],
};

test('every kind of event has a detail of metadata and data, and nothing else', () => {
  const rejected = [{ id: 'a', cost: 2, reason: 'exceeds_limit' }];
  const details = {
    'Reservations Rejected': { metadata: booking, data: { ...chunk, mode: 'observe', reservations: rejected } },
    'Quota Usage Recorded': { metadata: booking, data: usage },
    'Quota Threshold Reached': { metadata: booking, data: { ...account, threshold: 0.8 } },
    'Message Quarantined': { metadata, data: { reason: 'invalid_json', messageId: 'm' } },
    'Daily Quota Report': { metadata, data: report },
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

/** The schema's complaint about a usage event with these fields, or `valid`. */
function usageWith(fields: object): string {
  const read = QuotaUsageRecorded({ metadata: booking, data: { ...usage, ...fields } });
  return read instanceof type.errors ? read.summary : 'valid';
}

test('refusals are told by reason, and the reasons add up to the whole', () => {
  const two = { daily_quota_exceeded: { count: 2, cost: 7 }, pacing_backlog_full: { count: 1, cost: 1 } };
  expect(usageWith({ rejected: { count: 3, cost: 8, byReason: two } })).toBe('valid');
  expect(usageWith({ rejected: none })).toBe('valid');
  expect(usageWith({ rejected: { count: 2, cost: 8, byReason: two } })).toContain('the sum of its byReason');
  expect(usageWith({ rejected: { count: 3, cost: 9, byReason: two } })).toContain('the sum of its byReason');
  expect(usageWith({ rejected: amount })).toContain('byReason');
});

test('a reason that did not occur is left out, and no other is known', () => {
  const byReason = { exceeds_limit: amount, daily_quota_exceeded: { count: 0, cost: 0 } };
  expect(usageWith({ rejected: { ...amount, byReason } })).toContain('daily_quota_exceeded.count');
  expect(usageWith({ rejected: { ...amount, byReason: { bad_weather: amount } } })).toContain('bad_weather');
});

test('what observe mode granted all the same stands apart, in no other mode, and only where there is any', () => {
  expect(usageWith({ mode: 'observe', rejected: none, observed: refused })).toBe('valid');
  expect(usageWith({ mode: 'observe', rejected: none })).toBe('valid');
  expect(usageWith({ mode: 'enforce', observed: refused })).toContain('data.observed');
  expect(usageWith({ mode: 'observe', observed: none })).toContain('data.observed');
});

test('a quarantined message names its chunk by both booking and place, or not at all', () => {
  const allows = (fields: object) =>
    MessageQuarantined.allows({ metadata, data: { reason: 'too_old', messageId: 'm', ...fields } });
  expect(allows({ bookingId, chunk: 3 })).toBe(true);
  expect(allows({ bookingId })).toBe(false);
  expect(allows({ chunk: 3 })).toBe(false);
});

test('a report is of one zone or of all, and may take the place of another', () => {
  const allows = (fields: object) => DailyQuotaReport.allows({ metadata, data: { ...report, ...fields } });
  const first = eventIds.report({ date: report.date, timezone: 'all', run: 1 });
  expect(allows({ timezone: 'all', state: 'final', run: 2, supersedes: first })).toBe(true);
  for (const timezone of ['All', 'Mars/Olympus', '+05:00']) expect(allows({ timezone }), timezone).toBe(false);
  expect(allows({ run: 0 })).toBe(false);
  expect(allows({ files: [] })).toBe(false);
  expect(allows({ files: [{ ...report.files[0], sha256: 'A'.repeat(64) }] })).toBe(false);
});

test("an event's id is made of the names of its subject", () => {
  expect(eventIds.rejected({ bookingId: 'b', chunkIndex: 1, part: 2 })).toBe('b#1#rejected#2');
  expect(eventIds.usage({ bookingId: 'b', chunkIndex: 1 })).toBe('b#1#usage');
  expect(eventIds.threshold({ bookingId: 'b', chunkIndex: 1, threshold: 0.8 })).toBe('b#1#threshold#day#0.8');
  expect(eventIds.quarantined('m')).toBe('m');
  expect(eventIds.report({ date: '2026-11-29', timezone: 'all', run: 3 })).toBe('2026-11-29#all#report#3');
});
