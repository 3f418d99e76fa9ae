import type { Break } from './break.ts';

const worker = 'services/worker/src';

/** Breaks of what waits for its time: the hand-off, the claims and the pacer. */
export const pacingBreaks: readonly Break[] = [
  {
    name: 'pacing-without-details',
    tells: 'details get lost in pacing',
    edits: [
      {
        file: `${worker}/hand-off.ts`,
        find: 'rows.map(({ dueAtMs, ...row }) => ({ ...row, dispatchAt: toRfc3339(dueAtMs) })),',
        replace: 'rows.map(({ dueAtMs, id, cost }) => ({ id, cost, dispatchAt: toRfc3339(dueAtMs) })),',
      },
    ],
    promises: [2, 3],
    within: 300,
  },
  {
    name: 'overdue-waits-again',
    tells: 'an overdue slot above the burst waits anew at every hop',
    edits: [
      {
        file: `${worker}/release-times.ts`,
        find: '{ nowMs: nowMs - waitedMs, debtMicros: 0 },',
        replace: '{ nowMs, debtMicros: 0 },',
      },
    ],
    promises: [3],
    from: 13,
    within: 300,
  },
  {
    name: 'claim-once',
    tells: 'a pacing message that has won its hop loses it when it comes again',
    edits: [
      {
        file: 'packages/limiter-core/src/bulk/dynamodb/hop-store.ts',
        find: ' OR (hop = :next AND claim = :copy)',
        replace: '',
      },
    ],
    promises: [3],
    within: 300,
  },
  {
    name: 'no-reserve',
    tells: 'pacing messages come back when their first slot is due, with no time for a late pacer',
    edits: [
      {
        file: `${worker}/hand-off.ts`,
        find: 'first - pacingReserveSeconds',
        replace: 'first',
      },
    ],
    promises: [0],
    within: 300,
  },
  {
    name: 'claim-by-message-id',
    tells: 'a hop is claimed by the id of the message, which a redrive changes',
    edits: [
      {
        file: `${worker}/claim-hops.ts`,
        find: 'hop, copy, neededUntilMs }',
        replace: 'hop, copy: messageId + copy.slice(99), neededUntilMs }',
      },
    ],
    promises: [3],
    within: 500,
  },
  {
    name: 'claims-of-a-moment',
    tells: 'a claim goes at the last slot, and not 60 days after it',
    edits: [
      {
        file: 'packages/limiter-core/src/bulk/dynamodb/hop-store.ts',
        find: 'expiresAt(claim.neededUntilMs, retention.hopMs)',
        replace: 'expiresAt(claim.neededUntilMs, retention.hopMs - retention.hopMs)',
      },
    ],
    promises: [0],
    from: 160,
    within: 500,
  },
  {
    name: 'copies-by-chunk',
    tells: 'messages of one chunk in one batch are one, whatever their hops',
    edits: [
      {
        file: `${worker}/claim-hops.ts`,
        find: 'copyIdOf({ bookingId, chunk, hop, copy }: Pacing): string {',
        replace: "copyIdOf({ bookingId, chunk, hop, copy }: Pacing): string {\n  return bookingId + '#' + chunk;",
      },
    ],
    promises: [3],
    within: 500,
  },
  {
    name: 'put-back-first',
    tells: 'later slots are put back though a near one was not taken',
    edits: [
      {
        file: `${worker}/send-hand-offs.ts`,
        find: 'pacing === undefined || failed.has(delivery.messageId) ?',
        replace: 'pacing === undefined ?',
      },
    ],
    promises: [3],
    from: 78,
    within: 500,
  },
];
