import { numberOf } from './expressions.ts';
import type { BookingSeen, History, Violation } from './history.ts';
import { localDate, tooDense } from './model.ts';
import { checkOutputs } from './outputs.ts';
import { type Settlement, settlementKey, walkSettlements } from './settlements.ts';
import type { World } from './world.ts';

/** Checks every promise on a run that has come to rest; what breaks one is noted in the history. */
export function checkPromises(world: World): void {
  const { history, scenario } = world;
  const violate = (promise: Violation['promise'], message: string): void => world.violate(promise, message);
  const byAccount = walkSettlements(history, scenario.defaultPolicy, violate);
  const settled = new Map([...byAccount.values()].flatMap((settlements) => [...settlements]));
  checkLedger(history, settled, violate);
  checkOutputs(world, settled, violate);
  checkNothingLost(world, settled, violate);
  checkWindows(history, violate);
  for (const [accountId, settlements] of byAccount) {
    checkOrder(accountId, history, settlements, violate);
    checkPace(accountId, settlements, violate);
    checkBooks(world, accountId, settlements, violate);
  }
}

type Violate = (promise: Violation['promise'], message: string) => void;
type Settled = ReadonlyMap<string, Settlement>;

/** The chunk whose time an instant belongs to: the latest sent before. */
function settlementAt(history: History, settled: Settled, chunkId: string, atMs: number): Settlement | undefined {
  const message = history.chunks.get(chunkId)?.findLast(({ sentAtMs }) => sentAtMs <= atMs)?.message;
  return message === undefined ? undefined : settled.get(settlementKey(chunkId, message.acceptedAt));
}

/** Promise 2: whatever the ledger was ever given for a chunk is its first verdict. */
function checkLedger(history: History, settled: Settled, violate: Violate): void {
  for (const { key, after, atMs } of history.ledgerWrites) {
    const chunkId = `${key.pk.slice('booking#'.length)}#${Number(key.sk.slice('chunk#'.length))}`;
    const first = settlementAt(history, settled, chunkId, atMs);
    const granted = after.granted?.N;
    if (first === undefined) violate(2, `the ledger got ${chunkId}, which no write of its account settled`);
    else if (granted !== String(first.outcome.grantedCost) || after.expiresAt?.N !== expiryOf(first)) {
      violate(2, `the ledger got another verdict for ${chunkId} than its first: ${granted} granted`);
    }
  }
}

function expiryOf({ outcome }: Settlement): string {
  return String(Math.ceil(outcome.settledAt / 1000) + 60 * 86_400);
}

/** Promise 3: every chunk of an accepted booking is in the ledger with its rows, or in quarantine. */
function checkNothingLost(world: World, settled: Settled, violate: Violate): void {
  const { history, bookings, bookingsDead, pacing, pacingDead } = world;
  for (const queue of [bookings, bookingsDead, pacing, pacingDead]) {
    if (queue.length > 0) violate(3, `${queue.length} messages are stuck on ${queue.name}`);
  }
  const complete = new Set(
    history.ledgerWrites
      .filter(({ after }) => after.complete?.BOOL === true)
      .map(({ key, after }) => `${key.pk} ${Number(key.sk.slice('chunk#'.length))} ${after.expiresAt?.N}`),
  );
  for (const { accepted } of history.bookings) {
    if (accepted === undefined) continue;
    const { bookingId, acceptedAt, chunks } = accepted.answer;
    for (let chunk = 0; chunk < chunks; chunk++) {
      const chunkId = `${bookingId}#${chunk}`;
      const first = settled.get(settlementKey(chunkId, acceptedAt));
      const isKept = first !== undefined && complete.has(`booking#${bookingId} ${chunk} ${expiryOf(first)}`);
      const isQuarantined = history.quarantined.some((body) => body.includes(bookingId) && body.includes(acceptedAt));
      if (isKept || isQuarantined) continue;
      violate(3, `${chunkId} was accepted at ${acceptedAt} and is neither in the ledger nor in quarantine`);
    }
  }
  const poison = world.scenario.poison.length;
  const unreadable = history.quarantined.filter((body) => history.chunkIdOf(body) === undefined).length;
  if (unreadable < poison) violate(3, `${poison} messages could not be read, ${unreadable} are in quarantine`);
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

/** Promise 5: what was answered 202 before another booking of the account was submitted is decided before it. */
function checkOrder(accountId: string, history: History, settlements: Settled, violate: Violate): void {
  const places = (seen: BookingSeen, isCounted: (chunkId: string) => boolean): number[] => {
    const answer = seen.accepted?.answer;
    if (answer === undefined) return [];
    const ids = Array.from({ length: answer.chunks }, (_, chunk) => `${answer.bookingId}#${chunk}`);
    return ids.filter(isCounted).flatMap((id) => settlements.get(settlementKey(id, answer.acceptedAt))?.place ?? []);
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

/** Promise 6, on the due instants of all rows ever granted under one refill and burst. */
function checkPace(accountId: string, settlements: Settled, violate: Violate): void {
  const byRate = Map.groupBy(settlements.values(), ({ outcome }) => `${outcome.refillPerSecond} ${outcome.burst}`);
  for (const group of byRate.values()) {
    const [first] = group;
    if (first === undefined) continue;
    const dues = group.flatMap(({ message, dueAtMs }) =>
      message.reservations.flatMap(({ cost }, row) => {
        const atMs = dueAtMs[row] ?? null;
        return atMs === null ? [] : [{ atMs, cost }];
      }),
    );
    const problem = tooDense(dues, first.outcome);
    if (problem !== undefined) violate(6, `${accountId}: ${problem}`);
  }
}

/** Promise 7: counter, ledger and usage events say the same of each window. */
function checkBooks(world: World, accountId: string, settlements: Settled, violate: Violate): void {
  const item = world.table.read({ pk: `account#${accountId}`, sk: 'quota' }) ?? {};
  const ledger = new Map<string, number>();
  for (const { outcome } of settlements.values()) {
    ledger.set(outcome.date, (ledger.get(outcome.date) ?? 0) + outcome.grantedCost);
  }
  const published = usageByDate(world.history, accountId);
  for (const [name, value] of Object.entries(item)) {
    if (!name.startsWith('used:')) continue;
    const date = name.slice('used:'.length);
    const [used, granted, told] = [numberOf(value), ledger.get(date) ?? 0, published.get(date) ?? 0];
    if (used === granted && used === told) continue;
    violate(7, `${accountId} in ${date}: counter ${used}, granted ${granted}, usage events ${told}`);
  }
}

function usageByDate(history: History, accountId: string): Map<string, number> {
  const distinct = new Map<string, { date: string; cost: number }>();
  for (const { detailType, detail } of history.events) {
    if (detailType !== 'Quota Usage Recorded') continue;
    const { metadata, data } = JSON.parse(detail) as UsageDetail;
    if (data.accountId !== accountId) continue;
    distinct.set(`${metadata.id} ${metadata.occurredAt}`, { date: data.window.date, cost: data.granted.cost });
  }
  const sums = new Map<string, number>();
  for (const { date, cost } of distinct.values()) sums.set(date, (sums.get(date) ?? 0) + cost);
  return sums;
}

interface UsageDetail {
  readonly metadata: { readonly id: string; readonly occurredAt: string };
  readonly data: {
    readonly accountId: string;
    readonly window: { readonly date: string };
    readonly granted: { readonly cost: number };
  };
}
