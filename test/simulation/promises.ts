import { maxDelaySeconds, pacingReserveSeconds } from '@usher/contracts';
import { leaseMs } from '@usher/intake';
import { retention } from '@usher/limiter-core/bulk';
import { keys } from '@usher/limiter-core/bulk/dynamodb';
import { windowsOf } from './account-items.ts';
import { numberOf } from './expressions.ts';
import type { BookingSeen, History, Violation } from './history.ts';
import { Remembered } from './identity.ts';
import { checkLedger, chunkIdOf } from './ledger-checks.ts';
import { type Due, localDate, tooDense } from './model.ts';
import { checkOutputs } from './outputs.ts';
import { type Settlement, walkSettlements } from './settlements.ts';
import { hourMs, resumableMs } from './times.ts';
import { read } from './wire.ts';
import type { World } from './world.ts';

/** Checks every promise on a run that has come to rest; what breaks one is noted in the history. */
export function checkPromises(world: World): void {
  const { history, scenario } = world;
  const violate = (promise: Violation['promise'], message: string): void => world.violate(promise, message);
  const byAccount = walkSettlements(history, violate);
  const settled = new Map([...byAccount.values()].flatMap((settlements) => [...settlements]));
  checkLedger(world, settled, violate);
  checkOutputs(world, settled, violate);
  checkNothingLost(world, settled, violate);
  checkQuarantine(world, violate);
  checkResumed(history, scenario.maxSkewMs, violate);
  checkReserve(history, scenario.maxSkewMs, violate);
  checkWindows(history, violate);
  for (const [accountId, settlements] of byAccount) {
    checkLastSlot(world, accountId, violate);
    checkOrder(accountId, history, settlements, violate);
    checkPace(accountId, settlements, violate);
    checkBooks(world, accountId, settlements, violate);
  }
}

type Violate = (promise: Violation['promise'], message: string) => void;
type Settled = ReadonlyMap<string, Settlement>;

/**
 * Promise 3: every accepted booking was queued with its rows, and each of its chunks is in the ledger or in quarantine.
 */
function checkNothingLost({ history }: World, settled: Settled, violate: Violate): void {
  const complete = new Set(
    history.ledgerWrites.filter(({ after }) => after.complete?.BOOL === true).map(({ key }) => chunkIdOf(key)),
  );
  for (const { plan, accepted } of history.bookings) {
    if (accepted === undefined) continue;
    const { bookingId, acceptedAt, chunks } = accepted.answer;
    const ids = Array.from({ length: chunks }, (_, chunk) => `${bookingId}#${chunk}`);
    const rows = ids.flatMap((id) => history.chunks.get(id)?.message.reservations ?? []);
    if (JSON.stringify(rows) !== JSON.stringify(plan.rows))
      violate(3, `${bookingId} was queued with other rows than sent`);
    for (const chunkId of ids) {
      const isKept = settled.has(chunkId) && complete.has(chunkId);
      const isAside = history.quarantined.some((one) => one.chunkId === chunkId);
      if (isKept || isAside) continue;
      violate(3, `${chunkId} was accepted at ${acceptedAt} and is neither in the ledger nor in quarantine`);
    }
  }
}

/** Promise 3: each unreadable message is in quarantine, and nothing else is except chunks that came too late. */
function checkQuarantine({ history, scenario }: World, violate: Violate): void {
  const aside = new Set(history.quarantined.map(({ messageId }) => messageId));
  for (const messageId of history.poison) {
    if (!aside.has(messageId)) violate(3, `${messageId} could not be read and is not in quarantine`);
  }
  for (const { chunkId, reason, acceptedAt = '', atMs } of history.quarantined) {
    if (chunkId === undefined) continue;
    const ageMs = atMs - Date.parse(acceptedAt);
    if (reason === 'too_old' && ageMs > retention.unsettledMs - scenario.maxSkewMs) continue;
    violate(3, `${chunkId}, accepted at ${acceptedAt}, was put aside (${reason}) at ${new Date(atMs).toISOString()}`);
  }
}

/** A queued chunk must have time to be settled: a booking that was never answered is not taken up again after weeks. */
function checkResumed(history: History, maxSkewMs: number, violate: Violate): void {
  for (const [chunkId, { message, lastSentAtMs }] of history.chunks) {
    const ageMs = lastSentAtMs - Date.parse(message.acceptedAt);
    if (ageMs <= resumableMs + leaseMs + 2 * maxSkewMs) continue;
    violate(0, `${chunkId}, accepted at ${message.acceptedAt}, was queued at ${new Date(lastSentAtMs).toISOString()}`);
  }
}

/** A window is the local day of acceptance, from its first instant to the next day's. */
function checkWindows(history: History, violate: Violate): void {
  for (const { accepted } of history.bookings) {
    if (accepted === undefined) continue;
    const { acceptedAt, window, bookingId } = accepted.answer;
    const { date, timezone, startsAt, resetsAt } = window;
    const [starts, resets] = [Date.parse(startsAt), Date.parse(resetsAt)];
    const isRight =
      localDate(Date.parse(acceptedAt), timezone) === date &&
      localDate(starts, timezone) === date &&
      localDate(starts - 1, timezone) < date &&
      localDate(resets - 1, timezone) === date &&
      localDate(resets, timezone) > date;
    if (!isRight) violate(0, `${bookingId}, accepted at ${acceptedAt}, has the window ${JSON.stringify(window)}`);
  }
}

/** Promise 5: a booking answered 202 before another one of its account was submitted is decided before it. */
function checkOrder(accountId: string, history: History, settlements: Settled, violate: Violate): void {
  const places = (seen: BookingSeen, isCounted: (chunkId: string) => boolean): number[] => {
    const answer = seen.accepted?.answer;
    if (answer === undefined) return [];
    const ids = Array.from({ length: answer.chunks }, (_, chunk) => `${answer.bookingId}#${chunk}`);
    return ids.filter(isCounted).flatMap((id) => settlements.get(id)?.place ?? []);
  };
  const own = history.bookings.filter(({ plan }) => plan.accountId === accountId);
  for (const earlier of own) {
    const last = Math.max(...places(earlier, (id) => !history.deadChunks.has(id)));
    for (const later of own) {
      if (earlier.accepted === undefined || later.firstSentAtMs <= earlier.accepted.atMs) continue;
      const first = Math.min(...places(later, () => true));
      if (first < last) {
        violate(5, `${later.plan.key} of ${accountId} was decided before ${earlier.plan.key}, accepted before it`);
      }
    }
  }
}

/** Promise 6, on the due instants of all rows ever granted; a wrong clock's backlog is forgotten, and all before it. */
function checkPace(accountId: string, settlements: Settled, violate: Violate): void {
  const inOrder = [...settlements.values()].toSorted((a, b) => a.place - b.place);
  for (const first of inOrder.filter(({ place, decision }) => place === 0 || decision.isAfterWrongClock)) {
    const rest = inOrder.slice(first.place);
    const end = rest.findIndex(({ place, decision }) => place > first.place && decision.isAfterWrongClock);
    const problem = tooDense(rest.slice(0, end < 0 ? undefined : end).flatMap(duesOf));
    if (problem !== undefined) violate(6, `${accountId}: ${problem}`);
  }
}

function duesOf({ message, dueAtMs, outcome: { refillPerSecond, burst } }: Settlement): Due[] {
  return message.reservations.flatMap(({ cost }, row) => {
    const atMs = dueAtMs[row] ?? null;
    return atMs === null ? [] : [{ atMs, cost, refillPerSecond, burst }];
  });
}

/**
 * A pacing message is back five minutes before its first slot is due, so that a pacer may be late by as much. Seen on
 * what is sent right after its decision while nothing of its account is overdue: what is makes all behind it go later
 * than due.
 */
function checkReserve({ paced, dispatches }: History, maxSkewMs: number, violate: Violate): void {
  for (const { chunkId, accountId, settledAtMs, sentAtMs, availableAtMs, firstDueAtMs } of paced) {
    const isFresh = sentAtMs - settledAtMs < 10_000 && firstDueAtMs - sentAtMs > maxDelaySeconds * 1000;
    const leftMs = firstDueAtMs - availableAtMs;
    if (!isFresh || leftMs >= pacingReserveSeconds * 1000 - 60_000 - maxSkewMs) continue;
    const isBehind = dispatches.some(
      (one) => one.accountId === accountId && one.dispatchAtMs < sentAtMs && one.atMs > sentAtMs,
    );
    if (isBehind) continue;
    violate(0, `${chunkId} comes back from pacing ${Math.round(leftMs / 1000)} s before its first slot is due`);
  }
}

/**
 * The last slot of an account is not late, whatever copies of its chunks there were: where it is due hours after all
 * others, and after faults and redrives have ended.
 */
function checkLastSlot({ history, scenario }: World, accountId: string, violate: Violate): void {
  const own = history.dispatches.filter((one) => one.accountId === accountId);
  const byDue = [...Map.groupBy(own, ({ dispatchId }) => dispatchId).values()].toSorted(
    ([a], [b]) => (b?.dispatchAtMs ?? 0) - (a?.dispatchAtMs ?? 0),
  );
  const [[last] = [], [before] = []] = byDue;
  if (last === undefined || before === undefined) return;
  const quietFromMs = Math.max(...scenario.faultSpans.map(({ toMs }) => toMs)) + scenario.redriveAfterMs;
  const beginsMs = Math.max(quietFromMs, before.dispatchAtMs, ...history.chunkSentAt(accountId));
  if (last.dispatchAtMs - beginsMs < 3 * hourMs) return;
  const firstMs = Math.min(...(byDue[0] ?? []).map(({ atMs }) => atMs));
  const lateMs = firstMs - last.dispatchAtMs;
  if (lateMs > 2000 + 2 * scenario.maxSkewMs) violate(6, `${last.dispatchId} is the last slot, and ${lateMs} ms late`);
}

/** Promise 7: counter, ledger and usage events say the same of each window, as long as its counter is kept. */
function checkBooks(world: World, accountId: string, settlements: Settled, violate: Violate): void {
  const { history, table, scenario } = world;
  const windows = windowsOf(table.read(keys.account(accountId)));
  const aheadMs = Math.max(scenario.maxSkewMs, scenario.wrongClock?.aheadMs ?? 0);
  const lastMs = history.accountWrites.findLast((write) => write.accountId === accountId)?.atMs ?? 0;
  const ledger = ledgerByDate(history, accountId);
  const published = usageByDate(world, accountId);
  for (const date of new Set([...settlements.values()].map(({ outcome }) => outcome.date))) {
    const counted = windows.get(date);
    const mayBeGone = lastMs + aheadMs - Date.parse(date) > retention.windowMs;
    const recorded = ledger.get(date) ?? 0;
    const used = counted?.used ?? (mayBeGone ? recorded : 0);
    const told = published.get(date) ?? 0;
    if (used === recorded && used === told) continue;
    violate(7, `${accountId} in ${date}: counter ${used}, ledger ${recorded}, usage events ${told}`);
  }
}

/** Granted cost by day of all items that the ledger was ever given, each once. */
function ledgerByDate(history: History, accountId: string): Map<string, number> {
  const items = new Map(
    history.ledgerWrites
      .filter(({ after }) => after.accountId?.S === accountId)
      .map(({ key, after }) => [chunkIdOf(key), after]),
  );
  const sums = new Map<string, number>();
  for (const { date, granted } of items.values()) {
    sums.set(date?.S ?? '', (sums.get(date?.S ?? '') ?? 0) + numberOf(granted ?? { N: '0' }));
  }
  return sums;
}

/** Granted cost by day, as a listener adds it up that goes by ids alone. */
function usageByDate(world: World, accountId: string): Map<string, number> {
  const remembered = new Remembered();
  const sums = new Map<string, number>();
  for (const { detailType, detail } of world.history.events) {
    if (detailType !== 'Quota Usage Recorded') continue;
    const { metadata, data } = read.usage(detail);
    if (data.accountId !== accountId || remembered.take(metadata.id, detail) !== 'new') continue;
    sums.set(data.window.date, (sums.get(data.window.date) ?? 0) + data.granted.cost);
  }
  return sums;
}
