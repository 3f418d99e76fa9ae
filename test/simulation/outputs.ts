import { eventIds } from '@usher/contracts';
import { type Outcome, retention, toRfc3339 } from '@usher/limiter-core';
import type { Violation } from './history.ts';
import { Remembered } from './identity.ts';
import { type Settlement, settlementKey } from './settlements.ts';
import { type EventDetail, read } from './wire.ts';
import type { World } from './world.ts';

type Violate = (promise: Violation['promise'], message: string) => void;

/** The events and dispatches of one chunk, without repeats. */
interface Left {
  readonly usage: EventDetail[];
  readonly rejections: EventDetail[];
  /** The rows dispatched, as JSON. */
  readonly granted: string[];
  readonly thresholds: Set<string>;
}

/**
 * A consumer's memory of ids: for ever, except where a key comes again after 90 days, which makes another booking
 * under the same ids: then as long as outcomes are kept, after which nothing of the first booking can come again.
 */
export function memoryMs({ scenario }: World): number {
  return scenario.bookings.some(({ isReuse }) => isReuse) ? retention.outcomeMs : Number.POSITIVE_INFINITY;
}

/**
 * Events and dispatches, as a consumer sees them that goes by ids alone: repeats under one id are equal, every rejected
 * row is on the bus, every granted row is handed on as it was sent, every threshold is told, and nothing else is;
 * nothing is handed on before it is due.
 */
export function checkOutputs(world: World, settled: ReadonlyMap<string, Settlement>, violate: Violate): void {
  const left = new Map<string, Left>();
  const leftOf = (chunkId: string, atMs: number): Left | undefined => {
    const message = world.history.chunks.get(chunkId)?.findLast(({ sentAtMs }) => sentAtMs <= atMs)?.message;
    if (message === undefined) return undefined;
    const key = settlementKey(chunkId, message.acceptedAt);
    const known = left.get(key) ?? { usage: [], rejections: [], granted: [], thresholds: new Set() };
    left.set(key, known);
    return known;
  };
  collectEvents(world, leftOf, violate);
  collectThresholds(world, settled, leftOf, violate);
  collectDispatches(world, leftOf, violate);
  for (const [key, settlement] of settled) compare(settlement, left.get(key), violate);
  for (const key of left.keys())
    if (!settled.has(key)) violate(2, `something left Usher for ${key}, which was never settled`);
}

type LeftOf = (chunkId: string, atMs: number) => Left | undefined;

function collectEvents(world: World, leftOf: LeftOf, violate: Violate): void {
  const remembered = new Remembered(memoryMs(world));
  for (const { detailType, detail, atMs } of world.history.events) {
    const told = read.event(detail);
    const { metadata, data } = told;
    if (detailType === 'Message Quarantined' || detailType === 'Quota Threshold Reached') continue;
    const known = leftOf(`${data.bookingId}#${data.chunk}`, atMs);
    if (known === undefined) {
      violate(2, `the bus got ${metadata.id}, of a chunk that nobody sent`);
      continue;
    }
    const is = remembered.take(metadata.id, detail, atMs);
    if (is === 'changed') violate(2, `the event ${metadata.id} was published with two contents`);
    else if (is === 'new') (detailType === 'Quota Usage Recorded' ? known.usage : known.rejections).push(told);
  }
}

/**
 * Thresholds go by account, day, limit and share: where a limit goes up and down again a second chunk passes the same one
 * under the same id, which a consumer rightly takes for a repeat. So each must be what some chunk passed.
 */
function collectThresholds(
  world: World,
  settled: ReadonlyMap<string, Settlement>,
  leftOf: LeftOf,
  violate: Violate,
): void {
  const passed = Map.groupBy([...settled.values()].flatMap(thresholdsOf), ({ id }) => id);
  for (const { detailType, detail, atMs } of world.history.events) {
    if (detailType !== 'Quota Threshold Reached') continue;
    const { metadata, data } = read.event(detail);
    const chunk = passed.get(metadata.id)?.find(({ settlement: { outcome, message } }) => {
      const isSame = metadata.occurredAt === toRfc3339(outcome.settledAtMs);
      return isSame && metadata.correlationId === message.bookingId && data.used === usedAfter(outcome);
    });
    if (chunk === undefined) violate(0, `the bus got ${metadata.id}, which ${metadata.correlationId} did not pass`);
    else leftOf(chunk.settlement.chunkId, atMs)?.thresholds.add(metadata.id);
  }
}

function thresholdsOf(settlement: Settlement): { id: string; settlement: Settlement }[] {
  const { message, decision, outcome } = settlement;
  const { accountId, window } = message;
  return decision.thresholds.map((threshold) => ({
    id: eventIds.threshold({ accountId, date: window.date, limit: outcome.limit, threshold }),
    settlement,
  }));
}

function collectDispatches(world: World, leftOf: LeftOf, violate: Violate): void {
  const remembered = new Remembered(memoryMs(world));
  for (const { dispatchId, dispatchAtMs, atMs, rows, body } of world.history.dispatches) {
    // Delays are counted on the clock of the process that sends; a wrong one hands on what is due by it.
    if (atMs < dispatchAtMs - world.scenario.maxSkewMs && world.scenario.wrongClock === undefined) {
      violate(6, `${dispatchId} was handed on ${dispatchAtMs - atMs} ms before it is due`);
    }
    const known = leftOf(dispatchId.slice(0, dispatchId.lastIndexOf('#')), atMs);
    if (known === undefined) violate(2, `${dispatchId} was dispatched, of a chunk that nobody sent`);
    const is = remembered.take(dispatchId, body, atMs);
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
  for (const { id } of thresholdsOf(settlement)) {
    if (!left?.thresholds.has(id)) violate(3, `${chunkId} passed ${id}, and the bus was not told`);
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
  };
  const told = {
    date: data.window?.date,
    limit: data.limit,
    used: data.used,
    granted: data.granted,
    rejected: data.rejected,
  };
  const [is, should] = [JSON.stringify(told), JSON.stringify(expected)];
  if (is !== should) violate(7, `the usage event of ${chunkId} tells ${is}, not ${should}`);
}

function usedAfter({ usedBefore, grantedCost }: Outcome): number {
  return usedBefore + grantedCost;
}
