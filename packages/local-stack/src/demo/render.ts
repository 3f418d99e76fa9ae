import type { AccountSummary, Summary } from './summary.ts';

/** Accounts shown where there are many and not all are asked for. */
const shownAccounts = 40;
const shownDifferences = 20;

/** The summary as people read it. */
export function renderSummary(summary: Summary, { all, seconds }: { all: boolean; seconds: number }): string {
  const { accounts, events, dispatch, balanced, differences } = summary;
  const shown = all || accounts.length <= shownAccounts ? accounts : accounts.slice(0, shownAccounts);
  const hidden = accounts.slice(shown.length);
  const more =
    hidden.length === 0
      ? []
      : [
          `… and ${hidden.length} smaller accounts with ${total(hidden, 'granted')} granted and ` +
            `${total(hidden, 'rejected')} rejected rows (--all shows them)`,
        ];
  const longest = accounts.reduce((most, { pacedSeconds }) => Math.max(most, pacedSeconds), 0);
  return [
    '',
    table(shown),
    ...more,
    '',
    'Events',
    ...Object.entries(events).map(([kind, count]) => `  ${kind.padEnd(26)}${count}`),
    '',
    `Dispatch: ${dispatch.rows} rows in ${dispatch.messages} messages over up to ${duration(longest)}: ` +
      `${dispatch.conforms ? 'every account is within' : 'NOT within'} its burst + refill × time`,
    ...some(dispatch.differences),
    balanced ? 'Books balance: counter = ledger = events = what was submitted' : 'Books DO NOT balance:',
    ...some(differences),
    `Took ${seconds.toFixed(1)} s`,
    '',
  ].join('\n');
}

/** In the unit that people would say it in. */
function duration(seconds: number): string {
  if (seconds < 120) return `${seconds.toFixed(1)} s`;
  return seconds < 7200 ? `${(seconds / 60).toFixed(1)} min` : `${(seconds / 3600).toFixed(1)} h`;
}

/** The first of many lines, indented. */
function some(lines: readonly string[]): string[] {
  const more = lines.length > shownDifferences ? [`… and ${lines.length - shownDifferences} more`] : [];
  return [...lines.slice(0, shownDifferences), ...more].map((line) => `  ${line}`);
}

function total(accounts: readonly AccountSummary[], figure: 'granted' | 'rejected'): number {
  return accounts.reduce((sum, account) => sum + account[figure], 0);
}

const columns: readonly [title: string, cell: (account: AccountSummary) => string][] = [
  ['account', ({ accountId }) => accountId],
  ['limit', ({ limit }) => String(limit)],
  ['used', ({ used }) => String(used)],
  ['used %', ({ used, limit }) => (limit === 0 ? '–' : ((used / limit) * 100).toFixed(1))],
  ['granted', ({ granted }) => String(granted)],
  ['rejected', ({ rejected }) => String(rejected)],
  ['rejected cost', ({ rejectedCost }) => String(rejectedCost)],
  ['paced over', ({ pacedSeconds }) => duration(pacedSeconds)],
  [
    'policy',
    ({ burst, refillPerSecond, mode }) => `${burst} + ${refillPerSecond}/s${mode === 'observe' ? ', observe' : ''}`,
  ],
  ['resets', ({ resetsAt }) => resetsAt.replace(':00.000Z', 'Z')],
];

/** The first column flush left, figures flush right. */
function table(accounts: readonly AccountSummary[]): string {
  const rows = [
    columns.map(([title]) => title),
    ...accounts.map((account) => columns.map(([, cell]) => cell(account))),
  ];
  const widths = columns.map((_, column) => rows.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), 0));
  const lines = rows.map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))).join('  '),
  );
  return [lines[0], '─'.repeat(lines[0]?.length ?? 0), ...lines.slice(1)].join('\n');
}

/** The summary as programs read it: one object on one line. */
export function toJson(summary: Summary, seconds: number): string {
  const { accounts, events, dispatch, balanced } = summary;
  const differences = [...summary.differences, ...dispatch.differences];
  return JSON.stringify({
    accounts: accounts.map(({ accountId, limit, used, granted, grantedCost, rejected, rejectedCost }) => ({
      accountId,
      limit,
      used,
      granted,
      grantedCost,
      rejected,
      rejectedCost,
    })),
    events,
    dispatch: { messages: dispatch.messages, conforms: dispatch.conforms },
    balanced,
    ...(differences.length === 0 ? {} : { differences }),
    seconds,
  });
}
