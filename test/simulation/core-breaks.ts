import type { Break, Edit } from './break.ts';
import { bucketBreaks } from './bucket-breaks.ts';

const core = 'packages/limiter-core/src/bulk';

const withoutRev: Edit = {
  file: `${core}/dynamodb/account-update.ts`,
  find: 'else parts.condition(',

  replace: "else parts.condition('attribute_exists(pk)' ?? ",
};
const withoutQuotaClause: Edit = {
  file: `${core}/dynamodb/account-update.ts`,
  find: 'if (change.enforced && granted > 0) {',
  replace: 'if (change.enforced && granted < 0) {',
};

/** Breaks of the rules and the stores. */
export const coreBreaks: readonly Break[] = [
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
        file: `${core}/settler.ts`,
        find: 'const accounts = await store.readAccounts(groups.map(({ accountId }) => accountId));',
        replace: `const early = await store.readLedger(groups.flatMap((group) => [...group.chunks]));
    const accounts = await store.readAccounts(groups.map(({ accountId }) => accountId));`,
      },
      {
        file: `${core}/settler.ts`,
        find: 'const ledger = await store.readLedger(keys);',
        replace: 'const ledger = keys.length > 0 ? early : early;',
      },
    ],
    promises: [2],
    from: 28,
    within: 500,
  },
  {
    name: 'prune-early',
    tells: 'a receipt is pruned though its ledger item may not exist yet',
    edits: [
      {
        file: `${core}/settler.ts`,
        find: 'prunable: prunableReceipts(receipts, this.#memory),',
        replace: 'prunable: new Set(receipts.keys()),',
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
        file: `${core}/decide-rows.ts`,
        find: 'if (!isGranted(by, reason)) return reason;',
        replace: 'if (!isGranted(by, reason)) { usedByNow += cost; return reason; }',
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
        file: `${core}/settler.ts`,
        find: '        chunks,\n        ledger: outcomesOf',
        replace:
          '        chunks: chunks.map((chunk) => ({ ...chunk, date: new Date(clock()).toISOString().slice(0, 10) })),\n        ledger: outcomesOf',
      },
    ],
    promises: [0],
    within: 100,
  },
  {
    name: 'all-or-nothing-in-part',
    tells: 'all-or-nothing is filled like partial',
    edits: [
      {
        file: `${core}/decide-rows.ts`,
        find: "rows.bookingMode === 'all-or-nothing' ?",
        replace: 'rows.costs.length < 1 ?',
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
        find: 'openBucket(input.state.bucket, input.policy, input.nowMs)',
        replace: 'openBucket(undefined, input.policy, input.nowMs)',
      },
    ],
    promises: [6],
    within: 100,
  },
  ...bucketBreaks,
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
    name: 'unread-is-absent',
    tells: 'a key that BatchGetItem left unprocessed counts as absent',
    edits: [
      {
        file: `${core}/dynamodb/batch.ts`,
        find: 'pending = answer.UnprocessedKeys?.[target.tableName]?.Keys ?? [];',
        replace: 'pending = [];',
      },
    ],
    promises: [1, 2, 4, 7],
    within: 500,
  },
  {
    name: 'verdict-of-today',
    tells: 'a chunk that is found in the ledger is decided anew',
    edits: [
      {
        file: `${core}/settle.ts`,
        find: 'if (ledger !== undefined) return',
        replace: 'if (ledger !== undefined && ledger.settledAtMs < 0) return',
      },
    ],
    promises: [2],
    within: 200,
  },
  {
    name: 'counters-pruned-early',
    tells: 'counters of days that chunks may still be settled in are pruned',
    edits: [
      {
        file: `${core}/settle.ts`,
        find: 'this.#usage.has(date) || isWindowKept(date, keptAtMs)',
        replace: 'this.#usage.has(date) || isWindowKept(date, nowMs + 27 * 86_400_000)',
      },
    ],
    promises: [7],
    within: 300,
  },
  {
    name: 'unread-is-in-ledger',
    tells: 'a receipt whose ledger entry could not be read is taken to have one',
    edits: [
      {
        file: `${core}/receipt-pruning.ts`,
        find: 'if (found instanceof Error) continue;',
        replace: '',
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
        file: `${core}/dynamodb/account-store.ts`,
        find: "ConditionExpression: 'attribute_not_exists(pk)',",
        replace: "ConditionExpression: 'attribute_not_exists(pk) OR attribute_exists(pk)',",
      },
    ],
    promises: [3],
    from: 480,
    within: 300,
  },
  {
    name: 'default-for-unreadable',
    tells: 'where a policy cannot be read the default decides',
    edits: [
      {
        file: `${core}/settler.ts`,
        find: 'policy: policyOf(accountId, defaultPolicy, account.overrides),',
        replace: `policy: (() => {
        try {
          return policyOf(accountId, defaultPolicy, account.overrides);
        } catch {
          return defaultPolicy;
        }
      })(),`,
      },
    ],
    promises: [1],
    within: 500,
  },
  {
    name: 'receipt-pruned-in-part',
    tells: 'a receipt is pruned once the ledger has some of its chunks',
    edits: [
      {
        file: `${core}/receipt-pruning.ts`,
        find: '[...receipt.keys()].every((id) => memory.has(id))',
        replace: '[...receipt.keys()].some((id) => memory.has(id))',
      },
    ],
    promises: [2],
    from: 260,
    within: 500,
  },
  {
    name: 'closed-window-forgotten',
    tells: 'a late chunk does not see what its closed window has granted',
    edits: [
      {
        file: `${core}/settle.ts`,
        find: 'return this.#usage.get(date) ?? this.#input.state.usage.get(date) ?? noUsage;',
        replace: `const { closed, usage } = this.#input.state;
    return this.#usage.get(date) ?? (closed.has(date) ? undefined : usage.get(date)) ?? noUsage;`,
      },
    ],
    promises: [1, 7],
    within: 300,
  },
  {
    name: 'history-without-rev',
    tells: 'closed windows are written whatever has happened to the account since it was read',
    edits: [
      {
        file: `${core}/dynamodb/account-update.ts`,
        find: 'else parts.condition(',
        replace:
          "else if (change.history !== undefined) parts.condition('attribute_exists(pk)');\n  else parts.condition(",
      },
    ],
    promises: [2, 7],
    from: 39,
    within: 500,
  },
  {
    name: 'counters-left-behind',
    tells: 'a window that is closed keeps its counters beside the history',
    edits: [
      {
        file: `${core}/dynamodb/account-update.ts`,
        find: 'for (const date of change.endedDates) {',
        replace: 'for (const date of change.endedDates.slice(1)) {',
      },
    ],
    promises: [3, 7],
    within: 300,
  },
];
