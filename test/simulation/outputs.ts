import type { Violation } from './history.ts';
import { type Settlement, settlementKey } from './settlements.ts';
import type { World } from './world.ts';

type Violate = (promise: Violation['promise'], message: string) => void;

interface Detail {
  readonly metadata: { readonly id: string; readonly occurredAt: string; readonly correlationId?: string };
  readonly data: {
    readonly bookingId?: string;
    readonly chunk?: number;
    readonly reservations?: readonly { readonly id: string; readonly cost: number; readonly reason: string }[];
  };
}

/** What left Usher for one chunk, by distinct id. */
interface Left {
  readonly usage: Set<string>;
  readonly rejected: Map<string, string>;
  readonly granted: Set<string>;
  readonly thresholds: Set<string>;
}

/**
 * Events and dispatches: repeats under one id are equal, every rejected row is on the bus, every granted row is handed
 * on, and nothing else is; nothing is handed on before it is due.
 */
export function checkOutputs(world: World, settled: ReadonlyMap<string, Settlement>, violate: Violate): void {
  const left = new Map<string, Left>();
  const leftOf = (chunkId: string, atMs: number): Left | undefined => {
    const message = world.history.chunks.get(chunkId)?.findLast(({ sentAtMs }) => sentAtMs <= atMs)?.message;
    if (message === undefined) return undefined;
    const key = settlementKey(chunkId, message.acceptedAt);
    const known = left.get(key) ?? { usage: new Set(), rejected: new Map(), granted: new Set(), thresholds: new Set() };
    left.set(key, known);
    return known;
  };
  collectEvents(world, leftOf, violate);
  collectDispatches(world, leftOf, violate);
  for (const [key, settlement] of settled) compare(settlement, left.get(key), violate);
  for (const key of left.keys())
    if (!settled.has(key)) violate(2, `something left Usher for ${key}, which was never settled`);
}

type LeftOf = (chunkId: string, atMs: number) => Left | undefined;

function collectEvents(world: World, leftOf: LeftOf, violate: Violate): void {
  const contents = new Map<string, string>();
  for (const { detailType, detail, atMs } of world.history.events) {
    const { metadata, data } = JSON.parse(detail) as Detail;
    if (detailType === 'Message Quarantined') continue;
    // A threshold's id names limit and window: if the limit goes up and down again, a second chunk may pass it.
    const id = detailType === 'Quota Threshold Reached' ? `${metadata.id} ${metadata.correlationId}` : metadata.id;
    const chunkId = data.chunk === undefined ? undefined : `${data.bookingId}#${data.chunk}`;
    const known = chunkId === undefined ? undefined : leftOf(chunkId, atMs);
    if (known === undefined && detailType !== 'Quota Threshold Reached') {
      violate(2, `the bus got ${metadata.id}, of a chunk that nobody sent`);
      continue;
    }
    const repeated = `${id} ${metadata.occurredAt}`;
    const first = contents.get(repeated) ?? detail;
    contents.set(repeated, first);
    if (first !== detail) violate(2, `the event ${metadata.id} was published with two contents`);
    if (detailType === 'Quota Usage Recorded') known?.usage.add(repeated);
    for (const { id: row, reason } of data.reservations ?? []) known?.rejected.set(row, reason);
  }
}

function collectDispatches(world: World, leftOf: LeftOf, violate: Violate): void {
  const contents = new Map<string, string>();
  for (const { dispatchId, dispatchAtMs, availableAtMs, rows, body } of world.history.dispatches) {
    const known = leftOf(dispatchId.slice(0, dispatchId.lastIndexOf('#')), availableAtMs);
    if (known === undefined) violate(2, `${dispatchId} was dispatched, of a chunk that nobody sent`);
    const repeated = `${dispatchId} ${body.slice(body.indexOf('"dispatchAt"'), body.indexOf('"reservations"'))}`;
    const first = contents.get(repeated) ?? body;
    contents.set(repeated, first);
    if (first !== body) violate(2, `${dispatchId} was dispatched with two contents`);
    for (const { id } of rows) known?.granted.add(id);
    // Delays are counted on the clock of the process that sends.
    if (availableAtMs < dispatchAtMs - world.scenario.maxSkewMs) {
      violate(6, `${dispatchId} is available ${dispatchAtMs - availableAtMs} ms before it is due`);
    }
  }
}

function compare({ chunkId, message, outcome, dueAtMs }: Settlement, left: Left | undefined, violate: Violate): void {
  const rejected = new Map<string, string>();
  const granted = new Set<string>();
  for (const [row, { id }] of message.reservations.entries()) {
    const reason = outcome.reasons[row] ?? null;
    if (reason !== null) rejected.set(id, reason);
    if ((dueAtMs[row] ?? null) !== null) granted.add(id);
  }
  const told = left?.rejected ?? new Map<string, string>();
  if (left?.usage.size !== 1) violate(3, `${chunkId} has ${left?.usage.size ?? 0} distinct usage events, not one`);
  for (const [id, reason] of rejected) {
    if (told.get(id) !== reason)
      violate(3, `row ${id} of ${chunkId} is rejected (${reason}); the bus says ${told.get(id)}`);
  }
  for (const id of told.keys())
    if (!rejected.has(id)) violate(2, `the bus rejects row ${id} of ${chunkId}, which is granted`);
  for (const id of granted)
    if (!left?.granted.has(id)) violate(3, `granted row ${id} of ${chunkId} was never dispatched`);
  for (const id of left?.granted ?? [])
    if (!granted.has(id)) violate(2, `rejected row ${id} of ${chunkId} was dispatched`);
}
