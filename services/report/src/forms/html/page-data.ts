import { rejectReasons } from '@usher/limiter-core/bulk';
import { reasonsOf } from '../../aggregate/attention.ts';
import { hoursOf } from '../../aggregate/hours.ts';
import { compareText } from '../../aggregate/limits.ts';
import { accountKey } from '../../aggregate/week-before.ts';
import type { AccountReport, DayReport } from '../../model/report.ts';
import { instantText } from './format.ts';
import { jsonInHtml } from './html.ts';
import { attentionWords, reasonWords, reconciliationWords, stateWords } from './words.ts';

/** Limits of an account that the page holds, at most. */
const limitsMax = 100;

/** The accounts as the page holds them, in lists: ten thousand objects would repeat every name ten thousand times. */
export interface PageData {
  /** JSON for a `script` element. */
  readonly json: string;
  /** Accounts that the page holds, and those of them with their hours. */
  readonly accounts: number;
  readonly withHours: number;
}

/**
 * The accounts of a page: as many as there is room for. What is over is left out, the least busy first: their hours, then they
 * themselves. Accounts needing attention stay to the last: the page links them.
 *
 * @param maxBytes of the accounts' JSON
 */
export function pageDataOf(report: DayReport, maxBytes: number): PageData {
  const zones = report.zones.map(({ timezone }) => timezone);
  const days = new Map<string, readonly string[]>();
  const dayOf = (account: AccountReport): [day: number, hours: readonly string[]] => {
    const key = `${account.timezone} ${account.startsAt} ${account.resetsAt}`;
    const hours = days.get(key) ?? hourLabels(account);
    days.set(key, hours);
    return [[...days.keys()].indexOf(key), hours];
  };
  const named = new Set(report.attention.map(accountKey));
  const isLinked = (account: AccountReport): number => (named.has(accountKey(account)) ? 1 : 0);
  const inOrder = byUsage(report.accounts).sort((a, b) => isLinked(b) - isLinked(a));
  const rows = inOrder.map((account) => {
    const [day, hours] = dayOf(account);
    return { row: rowOf(account, [zones.indexOf(account.timezone), day]), hours: hoursRow(account, hours) };
  });
  const { texts, withHours } = fitting(rows, maxBytes);
  const frame = jsonInHtml({
    date: report.date,
    report: `${stateWords[report.state]}, run ${report.run}, at ${instantText(report.generatedAt)}`,
    zones,
    days: [...days].map(([key, hours]) => ({ startsAt: key.split(' ')[1], resetsAt: key.split(' ')[2], hours })),
    reasons: rejectReasons.map((reason) => reasonWords[reason]),
    attention: attentionWords,
    books: reconciliationWords,
  });
  return {
    json: `${frame.slice(0, -1)},"accounts":[${texts.join(',')}]}`,
    accounts: texts.length,
    withHours,
  };
}

function fitting(
  rows: readonly { readonly row: string; readonly hours: string }[],
  maxBytes: number,
): { texts: string[]; withHours: number } {
  let room = maxBytes;
  const shown = rows.filter(({ row }) => {
    room -= Buffer.byteLength(row) + 3;
    return room >= 0;
  });
  room = Math.max(0, maxBytes - shown.reduce((sum, { row }) => sum + Buffer.byteLength(row) + 3, 0));
  let withHours = 0;
  const texts = shown.map(({ row, hours }) => {
    room -= hours.length;
    if (room < 0) return row;
    withHours++;
    return `${row.slice(0, -1)},${hours}]`;
  });
  return { texts, withHours };
}

/** Busiest first, whatever the order they come in. */
export function byUsage(accounts: readonly AccountReport[]): AccountReport[] {
  return accounts.toSorted(
    (a, b) =>
      b.used - a.used ||
      b.granted + b.rejected - a.granted - a.rejected ||
      compareText(a.accountId, b.accountId) ||
      compareText(a.timezone, b.timezone),
  );
}

/** An account as a list; the page's script names its places. */
function rowOf(account: AccountReport, [zone, day]: readonly [number, number]): string {
  const reasons = rejectReasons.map((reason) => [
    account.rejectedByReason[reason],
    account.wouldRejectByReason[reason],
  ]);
  return jsonInHtml([
    account.accountId,
    zone,
    day,
    account.limit,
    account.used,
    account.granted,
    account.rejected,
    account.rejectedCost,
    account.wouldReject,
    account.wouldRejectCost,
    account.bookings,
    account.latency?.p50Ms ?? null,
    account.latency?.p95Ms ?? null,
    account.weekBefore === null
      ? null
      : [account.weekBefore.used, account.weekBefore.granted, account.weekBefore.rejected],
    reasonsOf(account),
    account.firstRefusalAt === null ? 0 : secondsOf(account.firstRefusalAt),
    account.limits.length < 2
      ? 0
      : account.limits.slice(0, limitsMax).map(({ from, limit }) => [secondsOf(from), limit]),
    reasons.every(([held, observed]) => held === undefined && observed === undefined)
      ? 0
      : reasons.map((pair) => pair.map((amount) => (amount === undefined ? 0 : [amount.count, amount.cost]))),
    account.mode === 'observe' ? 1 : 0,
    account.quarantined,
    account.deadLetters,
    account.backlog === null ? 0 : [account.backlog.cost, secondsOf(account.backlog.lookedAt)],
    account.reconciliation.state,
  ]);
}

/** Seconds since the Unix epoch: an instant in ten characters. */
function secondsOf(at: string): number {
  return Math.floor(Date.parse(at) / 1000);
}

/** Hours with anything in them, three numbers each: the place of the hour, granted cost, refused cost. */
function hoursRow({ hours }: AccountReport, labels: readonly string[]): string {
  return JSON.stringify(
    hours.flatMap(({ hour, grantedCost, rejectedCost }) => [labels.indexOf(hour), grantedCost, rejectedCost]),
  );
}

function hourLabels({ timezone, startsAt, resetsAt }: AccountReport): readonly string[] {
  return hoursOf({ timezone, startsAtMs: Date.parse(startsAt), resetsAtMs: Date.parse(resetsAt) }).map(
    ({ hour }) => hour,
  );
}
