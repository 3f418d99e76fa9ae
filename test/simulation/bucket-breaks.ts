import type { Break } from './break.ts';

const core = 'packages/limiter-core/src/bulk';
const file = `${core}/token-bucket.ts`;

/** Breaks of the bucket: of how it is carried over a change of the pace, of clocks, of the longest wait. */
export const bucketBreaks: readonly Break[] = [
  {
    name: 'debt-in-cost',
    tells: 'when the pace changes, a backlog is carried over in cost and not in time',
    edits: [{ file, find: 'if (emptyMicros >= 0) {', replace: 'if (emptyMicros >= Number.POSITIVE_INFINITY) {' }],
    promises: [6],
    from: 44,
    within: 300,
  },
  {
    name: 'debt-in-time-or-cost',
    tells: 'when the pace changes, a backlog is carried over in time or in cost, whichever is more',
    edits: [
      {
        file,
        find: 'Math.ceil(emptyMicros / 1000) * 1000',
        replace: 'Math.ceil((emptyMicros * Math.max(1, bucket.refillPerSecond / rate.refillPerSecond)) / 1000) * 1000',
      },
    ],
    promises: [6],
    from: 44,
    within: 300,
  },
  {
    name: 'burst-not-kept',
    tells: 'what is left in a bucket is worked out by the burst of now, not by the one it was scheduled under',
    edits: [{ file, find: 'microsOf(bucket.burst, bucket)', replace: 'microsOf(rate.burst, bucket)' }],
    promises: [6],
    within: 300,
  },
  {
    name: 'time-goes-back',
    tells: 'a bucket is opened at the clock of the worker, though another one has scheduled at a later instant',
    edits: [{ file, find: 'const nowMs = Math.max(clockMs, bucket.asOfMs);', replace: 'const nowMs = clockMs;' }],
    promises: [6],
    within: 300,
  },
  {
    name: 'wrong-clock-believed',
    tells: 'a bucket that a wrong clock has scheduled is waited for',
    edits: [{ file, find: 'if (aheadMs > maxClockSkewMs)', replace: 'if (aheadMs > 30 * maxClockSkewMs)' }],
    promises: [6],
    from: 72,
    within: 300,
  },
  {
    name: 'wrong-clock-clamped',
    tells: 'a bucket that a wrong clock has scheduled is clamped to the longest wait, not emptied now',
    edits: [
      {
        file,
        find: 'debtMicros: Math.ceil(microsOf(rate.burst, rate)), aheadMs',
        replace: 'debtMicros: Math.ceil(microsOf(rate.burst, rate)) + maxBacklogMs * 1000, aheadMs',
      },
    ],
    promises: [6],
    from: 72,
    within: 300,
  },
  {
    name: 'no-backlog-bound',
    tells: 'a row is granted however late it is due',
    edits: [
      {
        file: `${core}/decide-rows.ts`,
        find: 'return dueAtMs > nowMs + maxBacklogMs;',
        replace: 'return dueAtMs > nowMs + 100 * maxBacklogMs;',
      },
    ],
    promises: [6],
    from: 250,
    within: 300,
  },
  {
    name: 'backlog-observed-only',
    tells: 'observe mode grants what is due too late, as it does what the quota rejects',
    edits: [
      {
        file: `${core}/outcome.ts`,
        find: 'pacing_backlog_full: false,',
        replace: 'pacing_backlog_full: true,',
      },
    ],
    promises: [6],
    from: 250,
    within: 300,
  },
];
