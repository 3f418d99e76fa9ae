import { tokenBucket } from '../strategies/bucket.ts';
import { slidingWindow } from '../strategies/sliding-window.ts';
import { calendarWindow, fixedWindow } from '../strategies/window.ts';
import { no, type StepTable, yes } from './table.ts';

const hour = 3_600_000;

/** 5 at once, one more each second. */
const bucket = tokenBucket({ capacity: 5, refillPerSecond: 1 });
const window = fixedWindow({ limit: 5, windowMs: 1000 });
const sliding = slidingWindow({ limit: 10, windowMs: 1000 });

export const windowTables: readonly StepTable[] = [
  {
    name: 'a fixed window counts anew at each multiple of its length',
    plans: [window],
    start: '2026-11-30T12:00:00.400Z',
    steps: [
      { t: 0, cost: 3, want: { ...yes, limit: 5, remaining: 2, fullIn: 600 } },
      { t: 599, cost: 3, want: { ...no, remaining: 2, retryAfterMs: 1, fullIn: 1 } },
      { t: 599, cost: 2, want: { ...yes, remaining: 0 } },
      { t: 600, cost: 5, want: { ...yes, remaining: 0, fullIn: 1000 } },
      { t: 600, cost: 0, want: { ...yes, remaining: 0 } },
      { t: 600, cost: 6, want: { allowed: false, reason: 'never', limit: 5 } },
    ],
  },
  {
    name: 'a refund returns to its own window and to no other',
    plans: [window],
    steps: [
      { t: 0, cost: 4 },
      { t: 500, op: 'refund', of: 0 },
      { t: 500, cost: 5, want: yes },
      { t: 1000, cost: 3, want: { ...yes, remaining: 2 } },
      { t: 1000, op: 'refund', of: 2 },
      { t: 1000, op: 'peek', want: { remaining: 2 } },
    ],
  },
  {
    name: 'what was deleted cannot be given back',
    plans: [{ burst: bucket, window, sliding }],
    steps: [
      { t: 0, cost: 4 },
      { t: 100, op: 'delete' },
      { t: 100, cost: 3, want: { ...yes, remaining: 2 } },
      { t: 200, op: 'refund', of: 0 },
      { t: 200, op: 'peek', want: { remaining: 2 } },
    ],
  },
  {
    name: 'a window that a clock a little ahead has begun is not begun again',
    plans: [window],
    steps: [
      { t: 1000, cost: 4, want: { ...yes, remaining: 1 } },
      { t: 999, cost: 2, want: { ...no, remaining: 1, retryAfterMs: 1001 } },
      { t: 999, cost: 1, want: { ...yes, remaining: 0, fullIn: 1001 } },
      { t: 1001, want: no },
    ],
  },
  {
    name: 'a raised limit holds at once with what is counted already',
    plans: [window, fixedWindow({ limit: 8, windowMs: 1000 }), fixedWindow({ limit: 2, windowMs: 1000 })],
    steps: [
      { t: 0, cost: 5, want: { ...yes, remaining: 0 } },
      { t: 0, plan: 1, cost: 2, want: { ...yes, limit: 8, remaining: 1 } },
      { t: 0, plan: 2, want: { ...no, limit: 2, remaining: -5, retryAfterMs: 1000 } },
      { t: 0, plan: 1, want: { ...yes, remaining: 0 } },
    ],
  },
  {
    name: 'a window of another length counts anew',
    plans: [window, fixedWindow({ limit: 5, windowMs: 2000 })],
    steps: [
      { t: 0, cost: 5, want: yes },
      { t: 0, plan: 1, cost: 3, want: { ...yes, remaining: 2, fullIn: 2000 } },
    ],
  },
  {
    name: 'a calendar day is a day of its zone, also one of 25 hours',
    // In Berlin clocks go back from 3:00 to 2:00 on this day, which begins at 22:00 UTC the day before.
    start: '2026-10-24T22:00:00Z',
    plans: [calendarWindow({ limit: 5, unit: 'day', timezone: 'Europe/Berlin' })],
    steps: [
      { t: -1, cost: 5, want: { ...yes, fullIn: 1 } },
      { t: 0, cost: 5, want: { ...yes, fullIn: 25 * hour } },
      { t: 24 * hour, want: { ...no, retryAfterMs: hour } },
      { t: 25 * hour, want: { ...yes, remaining: 4, fullIn: 24 * hour } },
    ],
  },
  {
    name: 'a day without a midnight begins at its first instant',
    // In São Paulo clocks went from 23:59:59 to 1:00 that night, at 3:00 UTC.
    start: '2018-11-04T03:00:00Z',
    plans: [calendarWindow({ limit: 5, unit: 'day', timezone: 'America/Sao_Paulo' })],
    steps: [
      { t: -1, cost: 5, want: { ...yes, fullIn: 1 } },
      { t: 0, cost: 5, want: { ...yes, fullIn: 23 * hour } },
    ],
  },
  {
    name: 'weeks begin on Monday and months on their first',
    start: '2026-11-29T23:59:59Z',
    plans: [
      {
        week: calendarWindow({ limit: 3, unit: 'week' }),
        month: calendarWindow({ limit: 5, unit: 'month', timezone: 'UTC' }),
      },
    ],
    steps: [
      { t: 0, cost: 3, want: { ...yes, limit: 3, remaining: 0, fullIn: 1000 } },
      { t: 1000, cost: 3, want: { ...no, limit: 5, remaining: 2, retryAfterMs: 24 * hour } },
      { t: 1000, cost: 2, want: { ...yes, remaining: 0 } },
      { t: 1000 + 24 * hour, cost: 1, want: { ...yes, limit: 3, remaining: 0, fullIn: 6 * 24 * hour } },
    ],
  },
];

export const slidingTables: readonly StepTable[] = [
  {
    name: 'a sliding window counts the window before by the share that still lies in the span',
    plans: [sliding],
    steps: [
      { t: 500, cost: 10, want: { ...yes, remaining: 0, fullIn: 1401 } },
      { t: 999, want: { ...no, retryAfterMs: 2 } },
      { t: 1000, want: { ...no, retryAfterMs: 1 } },
      { t: 1001, want: { ...yes, remaining: 0 } },
      { t: 1500, op: 'peek', cost: 4, want: { ...yes, remaining: 4 } },
      { t: 1500, cost: 5, want: { ...no, retryAfterMs: 1 } },
      { t: 1501, cost: 5, want: { ...yes, remaining: 0 } },
      { t: 3000, cost: 10, want: { ...yes, remaining: 0 } },
    ],
  },
  {
    name: 'a refund from the window before takes its weight away',
    plans: [sliding],
    steps: [
      { t: 0, cost: 6 },
      { t: 0, cost: 4 },
      { t: 1250, op: 'peek', want: { remaining: 3 } },
      { t: 1250, op: 'refund', of: 1 },
      { t: 1250, op: 'peek', want: { remaining: 6 } },
      { t: 2000, op: 'refund', of: 0 },
      { t: 2000, op: 'peek', want: { remaining: 10 } },
    ],
  },
  {
    name: 'a sliding window that a clock a little ahead has begun is not begun again',
    plans: [sliding],
    steps: [
      { t: 900, cost: 4, want: yes },
      { t: 1000, cost: 3, want: { ...yes, remaining: 3 } },
      { t: 990, op: 'peek', cost: 4, want: { ...no, remaining: 3, retryAfterMs: 11 } },
      { t: 990, cost: 3, want: { ...yes, remaining: 0 } },
      { t: 1000, want: no },
    ],
  },
];
