import { eventIds } from '@usher/contracts';
import { type Outcome, toRfc3339 } from '@usher/limiter-core/bulk';
import type { Violation } from './history.ts';
import { Remembered } from './identity.ts';
import type { Settlement } from './settlements.ts';
import { type EventDetail, read } from './wire.ts';
import type { World } from './world.ts';

type Violate = (promise: Violation['promise'], message: string) => void;

/** The events and dispatches of one chunk, without repeats. */
interface Left {
  readonly usage: EventDetail[];
  readonly rejections: EventDetail[];
  /** The rows dispatched, as JSON. */
  readonly granted: string[];
  readonly thresholds: EventDetail[];
}

/**
 * Events and dispatches, as a consumer sees them that goes by ids alone: repeats under one id are equal, every rejected
 * row is on the bus, every granted row is handed on as it was sent, every threshold is told, and nothing else is;
 * nothing is handed on before it is due.
 */
export function checkOutputs(world: World, settled: ReadonlyMap<string, Settlement>, violate: Violate): void {
  const left = new Map<string, Left>();
  const leftOf = (chunkId: string): Left | undefined => {
    if (!world.history.chunks.has(chunkId)) return undefined;
    const known = left.get(chunkId) ?? { usage: [], rejections: [], granted: [], thresholds: [] };
    left.set(chunkId, known);
    return known;
  };
  collectEvents(world, leftOf, violate);
  collectDispatches(world, leftOf, violate);
  for (const [key, settlement] of settled) compare(settlement, left.get(key), violate);
  for (const key of left.keys())
    if (!settled.has(key)) violate(2, `something left Usher for ${key}, which was never settled`);
}

type LeftOf = (chunkId: string) => Left | undefined;

function collectEvents(world: World, leftOf: LeftOf, violate: Violate): void {
  const remembered = new Remembered();
  for (const { detailType, detail } of world.history.events) {
    const told = read.event(detail);
    if (detailType === 'Message Quarantined') {
      compareQuarantine(world, told, violate);
      continue;
    }
    const { id } = told.metadata;
    const known = leftOf(id.split('#').slice(0, 2).join('#'));
    if (known === undefined) {
      violate(2, `the bus got ${id}, of a chunk that nobody sent`);
      continue;
    }
    const is = remembered.take(id, detail);
    if (is === 'changed') violate(2, `the event ${id} was published with two contents`);
    if (is !== 'new') continue;
    if (detailType === 'Quota Usage Recorded') known.usage.push(told);
    else if (detailType === 'Quota Threshold Reached') known.thresholds.push(told);
    else known.rejections.push(told);
  }
}

/** A message put aside is told with the chunk that its body names: a report need not wait for that chunk. */
function compareQuarantine(world: World, { metadata, data }: EventDetail, violate: Violate): void {
  const aside = world.history.quarantined.find(({ messageId }) => messageId === metadata.id);
  const named = data.bookingId === undefined ? undefined : `${data.bookingId}#${data.chunk}`;
  if (named === aside?.chunkId) return;
  violate(3, `the bus was told that ${metadata.id} is put aside with ${named}; its body has ${aside?.chunkId}`);
}

function collectDispatches(world: World, leftOf: LeftOf, violate: Violate): void {
  const remembered = new Remembered();
  for (const { dispatchId, dispatchAtMs, atMs, rows, body } of world.history.dispatches) {
    // Delays are counted on the clock of the process that sends; a wrong one hands on what is due by it.
    if (atMs < dispatchAtMs - world.scenario.maxSkewMs && world.scenario.wrongClock === undefined) {
      violate(6, `${dispatchId} was handed on ${dispatchAtMs - atMs} ms before it is due`);
    }
    const known = leftOf(dispatchId.slice(0, dispatchId.lastIndexOf('#')));
    if (known === undefined) violate(2, `${dispatchId} was dispatched, of a chunk that nobody sent`);
    const is = remembered.take(dispatchId, body);
    if (is === 'changed') violate(2, `${dispatchId} was dispatched with two contents`);
    else if (is === 'new') known?.granted.push(...rows.map((row) => JSON.stringify(row)));
  }
}

function compare(settlement: Settlement, left: Left | undefined, violate: Violate): void {
  const { chunkId, message, outcome, dueAtMs } = settlement;
  const rejected: object[] = [];
  const granted: string[] = [];
  for (const [row, sent] of message.reservations.entries()) {
    const reason = outcome.reasons[row] ?? null;
    if (reason !== null) rejected.push({ id: sent.id, cost: sent.cost, reason });
    if ((dueAtMs[row] ?? null) !== null) granted.push(JSON.stringify(sent));
  }
  compareUsage(settlement, left?.usage ?? [], granted.length, violate);

  const rejections = left?.rejections ?? [];
  const told = rejections.flatMap(({ data }) => data.reservations ?? []);
  const [is, should] = [JSON.stringify(told), JSON.stringify(rejected)];
  if (is !== should)
    violate(told.length > rejected.length ? 2 : 3, `the bus rejects ${is} of ${chunkId}, not ${should}`);
  for (const { data } of rejections) {
    if (data.mode === outcome.policyMode && data.limit === outcome.limit && data.used === usedAfter(outcome)) continue;
    violate(0, `a rejection of ${chunkId} tells ${data.mode}, limit ${data.limit}, used ${data.used}`);
  }

  const handedOn = left?.granted ?? [];
  for (const row of granted) {
    const times = handedOn.filter((one) => one === row).length;
    if (times !== 1) violate(times === 0 ? 3 : 2, `granted row ${row} of ${chunkId} was dispatched ${times} times`);
  }
  for (const row of handedOn) {
    if (!granted.includes(row)) violate(2, `${row} was dispatched for ${chunkId}, which is no granted row of it`);
  }
  compareThresholds(settlement, left?.thresholds ?? [], violate);
}

function compareThresholds(
  { chunkId, message, outcome, decision }: Settlement,
  told: readonly EventDetail[],
  violate: Violate,
): void {
  const { bookingId, chunk: chunkIndex } = message;
  const passed = decision.thresholds.map((threshold) => eventIds.threshold({ bookingId, chunkIndex, threshold }));
  const ids = told.map(({ metadata }) => metadata.id);
  for (const id of passed) if (!ids.includes(id)) violate(3, `${chunkId} passed ${id}, and the bus was not told`);
  for (const { metadata, data } of told) {
    const isTrue =
      passed.includes(metadata.id) &&
      metadata.occurredAt === toRfc3339(outcome.settledAtMs) &&
      metadata.correlationId === bookingId &&
      data.used === usedAfter(outcome);
    if (!isTrue) violate(0, `the bus got ${metadata.id}, which ${chunkId} did not pass`);
  }
}

function compareUsage(
  { chunkId, message, outcome, decision }: Settlement,
  usage: readonly EventDetail[],
  granted: number,
  violate: Violate,
): void {
  const [only] = usage;
  if (only === undefined || usage.length > 1) {
    violate(usage.length > 1 ? 2 : 3, `${chunkId} has ${usage.length} distinct usage events, not one`);
    return;
  }
  const { data } = only;
  const expected = {
    date: message.window.date,
    limit: outcome.limit,
    used: decision.usedBefore + decision.grantedCost,
    granted: { count: granted, cost: decision.grantedCost },
    rejected: { count: message.reservations.length - granted, cost: decision.rejectedCost },
    acceptedAt: message.acceptedAt,
    decidedAt: toRfc3339(outcome.settledAtMs),
    mode: outcome.policyMode,
    byReason: byReason({ message, outcome, decision }, false),
    observed: byReason({ message, outcome, decision }, true),
  };
  const told = {
    date: data.window?.date,
    limit: data.limit,
    used: data.used,
    granted: data.granted,
    rejected: { count: data.rejected?.count, cost: data.rejected?.cost },
    acceptedAt: data.acceptedAt,
    decidedAt: data.decidedAt,
    mode: data.mode,
    byReason: sortedByReason(data.rejected?.byReason ?? {}),
    observed: sortedByReason(data.observed?.byReason ?? {}),
  };
  const [is, should] = [JSON.stringify(told), JSON.stringify(expected)];
  if (is !== should) violate(7, `the usage event of ${chunkId} tells ${is}, not ${should}`);
}

type Amounts = readonly (readonly [string, { readonly count: number; readonly cost: number }])[];

/** Rows by the reason against them, by the model: those rejected, or those that observe mode granted all the same. */
function byReason(
  { message, outcome, decision }: Pick<Settlement, 'message' | 'outcome' | 'decision'>,
  isOfObserved: boolean,
): Amounts {
  const amounts: Record<string, { count: number; cost: number }> = {};
  for (const [row, { cost }] of message.reservations.entries()) {
    const reason = decision.reasons[row] ?? null;
    if (reason === null) continue;
    const isObserved = outcome.policyMode === 'observe' && reason !== 'pacing_backlog_full';
    if (isObserved !== isOfObserved) continue;
    const { count, cost: total } = amounts[reason] ?? { count: 0, cost: 0 };
    amounts[reason] = { count: count + 1, cost: total + cost };
  }
  return sortedByReason(amounts);
}

function sortedByReason(amounts: Readonly<Record<string, { count: number; cost: number }>>): Amounts {
  return Object.entries(amounts)
    .map(([reason, { count, cost }]) => [reason, { count, cost }] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
}

function usedAfter({ usedBefore, grantedCost }: Outcome): number {
  return usedBefore + grantedCost;
}
