import type { Violation } from './history.ts';

/** One piece of a file's text, to be replaced by another. */
export interface Edit {
  /** From the repository's root. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** A deliberate fault of Usher's own code, and the promise whose check must see it. */
export interface Break {
  readonly name: string;
  readonly tells: string;
  readonly edits: readonly Edit[];
  /** Any of these; which one sees it first depends on the seed. */
  readonly promises: readonly Violation['promise'][];
  /** Where to begin looking: for rare ones a seed that is known, so that the test need not play those before. */
  readonly from?: number;
  /** How many seeds it may take from there until it is seen. */
  readonly within: number;
}

const core = 'packages/limiter-core/src';
const worker = 'services/worker/src';
const intake = 'services/intake/src';

const withoutRev: Edit = {
  file: `${core}/account-update.ts`,
  find: 'else parts.condition(',

  replace: "else parts.condition('attribute_exists(pk)' ?? ",
};
const withoutQuotaClause: Edit = {
  file: `${core}/account-update.ts`,
  find: 'if (change.enforced && granted > 0) {',
  replace: 'if (change.enforced && granted < 0) {',
};

/** Each is put into the product's code as it is loaded, in a module graph of its own; the product has no switch for it. */
export const breaks: readonly Break[] = [
  {
    name: 'no-rev',
    tells: 'the account is written whatever has happened to it since it was read',
    edits: [withoutRev],
    promises: [2, 7],
    within: 200,
  },
  {
    name: 'no-rev-no-quota-clause',
    tells: 'and the database does not refuse to pass the limit either',
    edits: [withoutRev, withoutQuotaClause],
    promises: [1, 2, 7],
    within: 200,
  },
  {
    name: 'ledger-first',
    tells: 'the ledger is read before the account',
    edits: [
      {
        file: `${core}/settle-accounts.ts`,
        find: 'const accounts = await store.readAccounts(groups.map(({ accountId }) => accountId));',
        replace: `const early = await store.readLedger(groups.flatMap((group) => [...group.chunks]));
    const accounts = await store.readAccounts(groups.map(({ accountId }) => accountId));`,
      },
      {
        file: `${core}/settle-accounts.ts`,
        find: 'keptOutcomes(await store.readLedger(keys),',
        replace: 'keptOutcomes(keys.length > 0 ? early : early,',
      },
    ],
    promises: [2],
    within: 2000,
  },
  {
    name: 'old-outcomes-count',
    tells: 'what is past its time counts until TTL has deleted it',
    edits: [
      {
        file: `${core}/settle-accounts.ts`,
        find: '=> entry instanceof Error || isKept(entry.outcome, nowMs)));',
        replace: '=> entry instanceof Error || nowMs > 0));',
      },
    ],
    promises: [3],
    from: 112,
    within: 500,
  },
  {
    name: 'prune-early',
    tells: 'a receipt is pruned though its ledger item may not exist yet',
    edits: [
      {
        file: `${core}/settle-accounts.ts`,
        find: 'prunable: recordedReceipts(account, options.recorded),',
        replace: 'prunable: new Set(account.state.receipts.keys()),',
      },
    ],
    promises: [2],
    within: 2000,
  },
  {
    name: 'denials-count',
    tells: 'a denial takes quota',
    edits: [
      {
        file: `${core}/settle.ts`,
        find: 'if (reason === null) used += cost;',
        replace: 'used += cost;',
      },
    ],
    promises: [4],
    within: 100,
  },
  {
    name: 'window-of-settling',
    tells: "a chunk counts in the window of the worker's clock",
    edits: [
      {
        file: `${core}/settle-accounts.ts`,
        find: '      chunks,\n      recorded: recordedOutcomes',
        replace:
          '      chunks: chunks.map((chunk) => ({ ...chunk, date: new Date(options.clock()).toISOString().slice(0, 10) })),\n      recorded: recordedOutcomes',
      },
    ],
    promises: [0],
    within: 100,
  },
  {
    name: 'new-event-ids',
    tells: 'events that are published again get new ids',
    edits: [
      {
        file: `${worker}/publish.ts`,
        find: '() => eventsOf(message, outcome)),',
        replace: `() => eventsOf(message, outcome).map((event) => ({
        ...event,
        detail: { ...event.detail, metadata: { ...event.detail.metadata, id: \`\${event.detail.metadata.id}@\${nowMs}\` } },
      }))),`,
      },
    ],
    promises: [2, 3],
    within: 100,
  },
  {
    name: 'all-or-nothing-in-part',
    tells: 'all-or-nothing is filled like partial',
    edits: [
      {
        file: `${core}/settle.ts`,
        find: "if (chunk.mode === 'all-or-nothing') {",
        replace: 'if (chunk.costs.length < 1) {',
      },
    ],
    promises: [0],
    within: 100,
  },
  {
    name: 'debt-forgotten',
    tells: "the bucket's debt is not carried from chunk to chunk",
    edits: [
      {
        file: `${core}/settle.ts`,
        find: 'debtAt(input.state.bucket, input.policy.refillPerSecond, input.nowMs)',
        replace: 'debtAt(undefined, input.policy.refillPerSecond, input.nowMs)',
      },
    ],
    promises: [6],
    within: 100,
  },
  {
    name: 'debt-in-time',
    tells: 'when the refill changes, the debt is carried over in time and not in cost',
    edits: [
      {
        file: `${core}/token-bucket.ts`,
        find: 'if (bucket.refillPerSecond === refillPerSecond) return',
        replace: 'if (bucket.refillPerSecond > 0) return',
      },
    ],
    promises: [6],
    from: 76,
    within: 2000,
  },
  {
    name: 'dispatch-early',
    tells: 'delays are rounded down',
    edits: [
      {
        file: `${worker}/sqs-dispatch.ts`,
        find: 'Math.ceil((releaseAtMs - nowMs) / 1000)',
        replace: 'Math.floor((releaseAtMs - nowMs) / 1000)',
      },
    ],
    promises: [6],
    within: 100,
  },
  {
    name: 'repeat-in-batch-counts',
    tells: 'the same chunk twice in one batch is two chunks',
    edits: [
      {
        file: `${core}/settle.ts`,
        find: "if (batch !== undefined) return { outcome: batch, origin: 'batch' };",
        replace: '',
      },
    ],
    promises: [7],
    within: 200,
  },
  {
    name: 'key-ignored',
    tells: 'a retry with the same Idempotency-Key is another booking',
    edits: [
      {
        file: `${intake}/accept.ts`,
        find: 'bookingIdOf(submission.accountId, submission.idempotencyKey)',
        replace: 'bookingIdOf(submission.accountId, ports.randomId())',
      },
    ],
    promises: [0, 2],
    within: 100,
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
    name: 'unread-is-absent',
    tells: 'a key that BatchGetItem left unprocessed counts as absent',
    edits: [
      {
        file: `${core}/dynamodb-batch.ts`,
        find: 'pending = answer.UnprocessedKeys?.[target.tableName]?.Keys ?? [];',
        replace: 'pending = [];',
      },
    ],
    promises: [1, 2, 4, 7],
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
    from: 202,
    within: 500,
  },
  {
    name: 'verdict-of-today',
    tells: 'a chunk that is found in the ledger is decided anew',
    edits: [
      {
        file: `${core}/settle.ts`,
        find: 'if (ledger !== undefined && this.#isKept(ledger))',
        replace: 'if (ledger !== undefined && ledger.settledAt < 0)',
      },
    ],
    promises: [2],
    within: 200,
  },
  {
    name: 'first-page-only',
    tells: "a booking's ledger is read to the end of the first page",
    edits: [
      {
        file: `${intake}/dynamodb-ledger.ts`,
        find: '} while (start !== undefined);',
        replace: '} while (start === null);',
      },
    ],
    promises: [2],
    within: 300,
  },
  {
    name: 'second-tail-acknowledged',
    tells: 'what stands behind the failed message of a second account is acknowledged',
    edits: [
      {
        file: `${worker}/batch.ts`,
        find: 'if (failed.has(record.messageId)) stopped.add(message.accountId);',
        replace: 'if (failed.has(record.messageId) && stopped.size === 0) stopped.add(message.accountId);',
      },
    ],
    promises: [5],
    from: 164,
    within: 500,
  },
  {
    name: 'counters-pruned-early',
    tells: 'counters of days that chunks may still be settled in are pruned',
    edits: [
      {
        file: `${core}/settle.ts`,
        find: 'nowMs - Date.parse(date) > retention.outcomeMs)',
        replace: 'nowMs - Date.parse(date) > retention.outcomeMs / 12)',
      },
    ],
    promises: [7],
    within: 300,
  },
  {
    name: 'unread-is-recorded',
    tells: 'a receipt whose ledger item could not be read is taken for recorded',
    edits: [
      {
        file: `${core}/settle-accounts.ts`,
        find: 'if (found instanceof Error || outcome === undefined) continue;',
        replace: 'if (outcome === undefined) continue;',
      },
    ],
    promises: [2],
    from: 4,
    within: 300,
  },
  {
    name: 'complete-overwritten',
    tells: "a receipt's ledger item overwrites the one with rows",
    edits: [
      {
        file: `${core}/dynamodb-account-store.ts`,
        find: 'attribute_not_exists(pk) OR expiresAt < :expiresAt',
        replace: 'attribute_not_exists(pk) OR expiresAt <= :expiresAt',
      },
    ],
    promises: [3],
    within: 1000,
  },
  {
    name: 'pacing-without-details',
    tells: 'details get lost in pacing',
    edits: [
      {
        file: `${worker}/dispatch-slots.ts`,
        find: 'rows.map(({ dueAtMs, ...row }) => ({ ...row, dispatchAt: toRfc3339(dueAtMs) })),',
        replace: 'rows.map(({ dueAtMs, id, cost }) => ({ id, cost, dispatchAt: toRfc3339(dueAtMs) })),',
      },
    ],
    promises: [2, 3],
    within: 300,
  },
  {
    name: 'thresholds-once',
    tells: 'thresholds are told of first decisions only',
    edits: [
      {
        file: `${worker}/publish.ts`,
        find: `flatMap(({ record: { messageId }, message, outcome }) =>
      of({ messageId, accountId: message.accountId }, () => eventsOf(message, outcome)),`,
        replace: `flatMap(({ record: { messageId }, message, outcome, origin }) =>
      of({ messageId, accountId: message.accountId }, () =>
        eventsOf(message, outcome).filter(({ detailType }) => origin === 'new' || detailType !== 'Quota Threshold Reached')),`,
      },
    ],
    promises: [3],
    within: 300,
  },
  {
    name: 'overdue-waits-again',
    tells: 'an overdue slot above the burst waits anew at every hop',
    edits: [
      {
        file: `${worker}/release.ts`,
        find: '{ nowMs: nowMs - waitedMs, debtMicros: 0 },',
        replace: '{ nowMs, debtMicros: 0 },',
      },
    ],
    promises: [3],
    from: 13,
    within: 300,
  },
  {
    name: 'no-reserve',
    tells: 'pacing messages come back when their first slot is due, with no time for a late pacer',
    edits: [
      {
        file: `${worker}/sqs-dispatch.ts`,
        find: 'first - pacingReserveSeconds',
        replace: 'first',
      },
    ],
    promises: [0],
    within: 300,
  },
  {
    name: 'resumed-too-late',
    tells: 'a booking is taken up again after so long that its chunks may come too late',
    edits: [
      {
        file: `${intake}/idempotency.ts`,
        find: 'Date.parse(found.acceptedAt) + resumableMs < nowMs',
        replace: 'Date.parse(found.acceptedAt) + 2 * resumableMs < nowMs',
      },
    ],
    promises: [0],
    from: 46,
    within: 300,
  },
  {
    name: 'default-for-unreadable',
    tells: 'where a policy cannot be read the default decides',
    edits: [
      {
        file: `${core}/settle-accounts.ts`,
        find: 'policy: policyOf(accountId, options.defaultPolicy, account.overrides),',
        replace: `policy: (() => {
        try {
          return policyOf(accountId, options.defaultPolicy, account.overrides);
        } catch {
          return options.defaultPolicy;
        }
      })(),`,
      },
    ],
    promises: [1],
    within: 500,
  },
  {
    name: 'poison-dropped',
    tells: 'what cannot be read is acknowledged and put nowhere',
    edits: [
      {
        file: `${worker}/batch.ts`,
        find: 'await quarantine([...unreadable, ...refusedNow], invocation)',
        replace: 'await quarantine([...refusedNow], invocation)',
      },
    ],
    promises: [3],
    within: 300,
  },
  {
    name: 'old-receipt-recorded',
    tells: 'a receipt past its time is put into the ledger again before it goes',
    edits: [
      {
        file: `${core}/settle-accounts.ts`,
        find: '!recorded.has(id, outcome) && isKept(outcome, nowMs))',
        replace: '!recorded.has(id, outcome) && nowMs > 0)',
      },
    ],
    promises: [2],
    from: 764,
    within: 300,
  },
];
