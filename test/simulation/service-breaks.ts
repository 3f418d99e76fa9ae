import type { Break } from './break.ts';

const worker = 'services/worker/src';
const intake = 'services/intake/src';

/** Breaks of the services and of how they send. */
export const serviceBreaks: readonly Break[] = [
  {
    name: 'new-event-ids',
    tells: 'events that are published again get new ids',
    edits: [
      {
        file: `${worker}/publish.ts`,
        find: '() => eventsOf(one.chunk, one.outcome))',
        replace: `() => eventsOf(one.chunk, one.outcome).map((event) => ({
        ...event,
        detail: { ...event.detail, metadata: { ...event.detail.metadata, id: \`\${event.detail.metadata.id}@\${nowMs}\` } },
      })))`,
      },
    ],
    promises: [2, 3],
    within: 100,
  },
  {
    name: 'dispatch-early',
    tells: 'delays are rounded down',
    edits: [
      {
        file: `${worker}/hand-off.ts`,
        find: 'Math.ceil((releaseAtMs - nowMs) / 1000)',
        replace: 'Math.floor((releaseAtMs - nowMs) / 1000)',
      },
    ],
    promises: [6],
    within: 100,
  },
  {
    name: 'key-ignored',
    tells: 'a retry with the same Idempotency-Key is another booking',
    edits: [
      {
        file: `${intake}/accept-booking.ts`,
        find: 'bookingKeyFor(submission.accountId, submission.idempotencyKey)',
        replace: 'bookingKeyFor(submission.accountId, ports.randomId())',
      },
    ],
    promises: [0, 2],
    within: 100,
  },
  {
    name: 'key-is-the-id',
    tells:
      'a booking id does not carry its instant, so a key used again after 90 days makes the ids of the first booking',
    edits: [
      {
        file: 'packages/contracts/src/booking-id.ts',
        find: 'base32(BigInt(acceptedAtMs), instantDigits)',
        replace: 'base32(0n * BigInt(acceptedAtMs), instantDigits)',
      },
      {
        file: 'packages/contracts/src/chunk.ts',
        find: 'if (acceptedAtMsOf(message.bookingId) !== Date.parse(message.acceptedAt)) {',
        replace: 'if (acceptedAtMsOf(message.bookingId) === Date.parse(message.acceptedAt)) {',
      },
      {
        file: 'packages/contracts/src/header-item.ts',
        find: 'if (acceptedAtMsOf(bookingId) !== Date.parse(acceptedAt)) {',
        replace: 'if (acceptedAtMsOf(bookingId) === Date.parse(acceptedAt)) {',
      },
    ],
    promises: [0, 2, 3],
    within: 300,
  },
  {
    name: 'own-instant-on-resume',
    tells: 'an attempt that resumes a booking takes id and instant from its own clock',
    edits: [
      {
        file: `${intake}/claim-booking.ts`,
        find: "return { kind: 'claimed', header: { ...found, ...lease } };",
        replace:
          "return { kind: 'claimed', header: { ...found, ...lease, bookingId: wanted.bookingId, acceptedAt: wanted.acceptedAt } };",
      },
    ],
    promises: [0, 2, 3],
    within: 300,
  },
  {
    name: 'own-instant-after-lost-create',
    tells: 'an attempt whose own header was written, with its reply lost, sends under an id of another instant',
    edits: [
      {
        file: `${intake}/claim-booking.ts`,
        find: "if (found.nonce === wanted.nonce) return { kind: 'claimed', header: found };",
        replace:
          "if (found.nonce === wanted.nonce) return { kind: 'claimed', header: { ...found, bookingId: bookingKeyOf(found.bookingId).concat('aaaaaaaaa') } };",
      },
    ],
    promises: [0, 2, 3],
    within: 300,
  },
  {
    name: 'cut-anew-on-resume',
    tells: 'versions cut differently, and an attempt that resumes a booking cuts as it would, not as the header says',
    edits: [
      {
        file: `${intake}/accept-booking.ts`,
        find: 'cutChunks(meaning.reservations).map(({ length }) => length);',
        replace: `cutChunks(meaning.reservations).flatMap(({ length }) =>
          length < 2 || meaning.bookingMode === 'all-or-nothing' || ports.clock() % 2 === 0 ? [length] : [1, length - 1]);`,
      },
      {
        file: `${intake}/accept-booking.ts`,
        find: 'cutBy(meaning.reservations, claim.header.cut)',
        replace: 'cutBy(meaning.reservations, cutText(rowCounts))',
      },
    ],
    promises: [0, 2, 3],
    from: 32,
    within: 300,
  },
  {
    name: 'untold-is-taken',
    tells: 'an entry that SendMessageBatch does not mention counts as taken',
    edits: [
      {
        file: 'packages/sqs-batch/src/send-all.ts',
        find: 'const left = call.filter((index) => !taken.has(String(index)));',
        replace:
          'const named = new Set(answer.Failed?.map(({ Id }) => Id));\n  const left = call.filter((index) => !taken.has(String(index)) && named.has(String(index)));',
      },
    ],
    promises: [3],
    within: 500,
  },
  {
    name: 'lost-events-ignored',
    tells: 'a message is acknowledged although its events could not be published',
    edits: [
      {
        file: `${worker}/publish.ts`,
        find: 'for (const messageId of unpublished) failed.add(messageId);',
        replace: 'unpublished.size;',
      },
    ],
    promises: [3, 7],
    from: 214,
    within: 300,
  },
  {
    name: 'first-page-only',
    tells: "a booking's ledger is read to the end of the first page",
    edits: [
      {
        file: 'packages/limiter-core/src/bulk/dynamodb/ledger-reader.ts',
        find: '} while (start !== undefined);',
        replace: '} while (start === null);',
      },
    ],
    promises: [2],
    within: 300,
  },
  {
    name: 'batch-backwards',
    tells: 'the chunks of a batch are decided from its last to its first',
    edits: [
      {
        file: `${worker}/settle-batch.ts`,
        find: "const chunks = decoded.filter((one) => 'chunk' in one);",
        replace: "const chunks = decoded.filter((one) => 'chunk' in one).toReversed();",
      },
    ],
    promises: [5],
    within: 100,
  },
  {
    name: 'thresholds-once',
    tells: 'thresholds are told of first decisions only',
    edits: [
      {
        file: `${worker}/publish.ts`,
        find: '() => eventsOf(one.chunk, one.outcome))',
        replace: `() =>
        eventsOf(one.chunk, one.outcome).filter(({ detailType }) => one.origin === 'new' || detailType !== 'Quota Threshold Reached'))`,
      },
    ],
    promises: [3],
    within: 300,
  },
  {
    name: 'resumed-too-late',
    tells: 'a booking is taken up again after so long that its chunks may come too late',
    edits: [
      {
        file: `${intake}/claim-booking.ts`,
        find: 'Date.parse(found.acceptedAt) + resumableMs < nowMs',
        replace: 'Date.parse(found.acceptedAt) + 2 * resumableMs < nowMs',
      },
    ],
    promises: [0],
    from: 46,
    within: 300,
  },
  {
    name: 'others-wait',
    tells: 'what is decided goes out when the last account of the batch is done',
    edits: [
      {
        file: `${worker}/settle-chunks.ts`,
        find: 'settler.settleInRounds(groups, callOf(invocation))',
        replace: '[await settler.settleAll(groups, callOf(invocation))]',
      },
    ],
    promises: [5],
    within: 300,
  },
  {
    name: 'poison-dropped',
    tells: 'what cannot be read is acknowledged and put nowhere',
    edits: [
      {
        file: `${worker}/settle-batch.ts`,
        find: 'await quarantine([...waiting, ...badNow], invocation)',
        replace: 'await quarantine([...badNow], invocation)',
      },
    ],
    promises: [3],
    within: 300,
  },
];
