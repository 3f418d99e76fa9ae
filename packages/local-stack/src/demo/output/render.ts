import type { AccountSummary, Summary } from '../audit/summary.ts';
import { duration, figure, lineWidth, percent, shortened } from './figures.ts';

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
    table(shown),
    ...more,
    ...observed(accounts),
    '',
    'Events',
    ...Object.entries(events).map(([kind, count]) => `  ${kind.padEnd(26)}${count}`),
    '',
    `Dispatch: ${dispatch.rows} rows in ${dispatch.messages} messages over up to ${duration(longest)}`,
    dispatch.conforms ? 'Every account is within its burst + refill × time' : 'NOT within burst + refill × time:',
    ...some(dispatch.differences),
    balanced ? 'Books balance: counter = ledger = events = what was submitted' : 'Books DO NOT balance:',
    ...some(differences),
    `Took ${seconds.toFixed(1)} s`,
    '',
  ].join('\n');
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
  ['limit', ({ limit }) => figure(limit)],
  ['used', ({ used }) => figure(used)],
  ['used %', ({ used, limit }) => percent(used, limit)],
  ['granted', ({ granted }) => figure(granted)],
  ['rejected', ({ rejected }) => figure(rejected)],
  ['rej. cost', ({ rejectedCost }) => figure(rejectedCost)],
  ['paced over', ({ pacedSeconds }) => duration(pacedSeconds)],
];

/** The account flush left in what room the figures leave it, they flush right. */
function table(accounts: readonly AccountSummary[]): string {
  const rows = [
    columns.map(([title]) => title),
    ...accounts.map((account) => columns.map(([, cell]) => cell(account))),
  ];
  const widths = columns.map((_, column) => rows.reduce((most, row) => Math.max(most, row[column]?.length ?? 0), 0));
  const room = widths.reduce((left, width) => left - width - 2, lineWidth);
  const names = ['account', ...accounts.map(({ accountId }) => shortened(accountId, room))];
  const nameWidth = names.reduce((most, { length }) => Math.max(most, length), 0);
  const lines = rows.map((row, r) =>
    [(names[r] ?? '').padEnd(nameWidth), ...row.map((cell, i) => cell.padStart(widths[i] ?? 0))].join('  '),
  );
  return [lines[0], '─'.repeat(lines[0]?.length ?? 0), ...lines.slice(1)].join('\n');
}

/** The lines on accounts in observe mode: the rows that enforce would have rejected. None without such accounts. */
function observed(accounts: readonly AccountSummary[]): string[] {
  const lines = accounts
    .filter(({ mode }) => mode === 'observe')
    .map(
      ({ accountId, wouldReject, wouldRejectCost }) =>
        `${shortened(accountId, 24)}: ${figure(wouldReject)} granted rows, cost ${figure(wouldRejectCost)}`,
    );
  return lines.length === 0 ? [] : ['', 'Observed only; enforce would have rejected', ...some(lines)];
}

/** The summary as programs read it: one object on one line. */
export function toJson(
  summary: Summary,
  { seconds, reports }: { readonly seconds: number; readonly reports: readonly string[] },
): string {
  const { accounts, events, dispatch, balanced } = summary;
  const differences = [...summary.differences, ...dispatch.differences];
  return JSON.stringify({
    accounts: accounts.map(({ dues, ...account }) => account),
    events,
    dispatch: { messages: dispatch.messages, conforms: dispatch.conforms },
    balanced,
    ...(differences.length === 0 ? {} : { differences }),
    seconds,
    reports,
  });
}
