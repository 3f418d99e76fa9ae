import { Dispatch, type UsherEvent } from '@usher/contracts';
import { builtInPolicy, chunkIdOf, type LedgerEntry } from '@usher/limiter-core/bulk';
import type { Queues, StackClients } from '@usher/local-stack';
import { type } from 'arktype';
import { expect } from 'vitest';
import { type Accepted, firstFit, grantedCost, rejectedCost } from './first-fit.ts';
import { drain, messagesIn, readEvent, readTable } from './read-back.ts';
import type { World } from './world.ts';

/** Everything that the services left behind. */
export interface Books {
  readonly counters: ReadonlyMap<string, { readonly used: number; readonly rejected: number }>;
  /** The ledger's entries by chunk id. */
  readonly ledger: ReadonlyMap<string, LedgerEntry>;
  /** Events by id; under one id there is one content. */
  readonly events: ReadonlyMap<string, UsherEvent>;
  /** Dispatches by id; under one id there is one content. */
  readonly dispatches: ReadonlyMap<string, Dispatch>;
  /** Deliveries of each event and dispatch, by id. */
  readonly times: ReadonlyMap<string, number>;
}

const parseDispatch = type('string.json.parse').to(Dispatch);

/** Takes events and dispatches as their consumers would, and compares each repeat with the first of its id. */
export class Consumer {
  readonly events = new Map<string, UsherEvent>();
  readonly dispatches = new Map<string, Dispatch>();
  readonly times = new Map<string, number>();

  /** @param nowMs the endpoints' time: no dispatch may be handed out before it is due */
  async drain(clients: StackClients, queues: Queues, nowMs: number): Promise<void> {
    await drain(clients, queues.events.url, (body) => {
      const event = readEvent(body);
      this.#take(this.events, event.detail.metadata.id, event);
    });
    await drain(clients, queues.dispatch.url, (body) => {
      const dispatch = parseDispatch.assert(body);
      expect(nowMs).toBeGreaterThanOrEqual(Date.parse(dispatch.dispatchAt));
      this.#take(this.dispatches, dispatch.dispatchId, dispatch);
    });
  }

  #take<T>(known: Map<string, T>, id: string, content: T): void {
    this.times.set(id, (this.times.get(id) ?? 0) + 1);
    const first = known.get(id);
    if (first === undefined) known.set(id, content);
    else expect(content).toEqual(first);
  }
}

/**
 * Lets a worker without faults do all that is still to do, over as much time as it takes, and reads what was
 * left behind.
 */
export async function finish(world: World): Promise<Books> {
  const worker = world.worker();
  const consumer = new Consumer();
  for (let minute = 0; minute < 600; minute++) {
    while (await hasWork(worker.settle()));
    while (await hasWork(worker.pace()));
    await consumer.drain(world.clients, world.queues, world.clock());
    if (await isIdle(world)) return readBooks(world.clients, consumer);
    world.clock.advance(60_000);
  }
  throw new Error('The queues are not empty after ten hours.');
}

/** True where a batch had messages. */
export async function hasWork(delivery: ReturnType<ReturnType<World['worker']>['settle']>): Promise<boolean> {
  const answer = await delivery;
  return answer !== 'crashed' && answer.received.length > 0;
}

async function isIdle({ clients, queues }: World): Promise<boolean> {
  const { bookings, pacing, dispatch, events } = queues;
  const left = await Promise.all([bookings, pacing, dispatch, events].map(({ url }) => messagesIn(clients, url)));
  return left.every((count) => count === 0);
}

/** Reads counters and ledger beside what a consumer has taken. */
export async function readBooks(clients: StackClients, consumer: Consumer): Promise<Books> {
  const { accounts, ledger } = await readTable(clients);
  const counters = [...accounts].map(([accountId, { usage }]) => {
    const total = (figure: 'used' | 'rejected') => [...usage.values()].reduce((sum, one) => sum + one[figure], 0);
    return [accountId, { used: total('used'), rejected: total('rejected') }] as const;
  });
  const { events, dispatches, times } = consumer;
  return {
    counters: new Map(counters),
    ledger: new Map(ledger.map((entry) => [chunkIdOf(entry), entry])),
    events,
    dispatches,
    times,
  };
}

/**
 * Compares the books with a first fit by hand of what was submitted: counters, ledger, events and dispatches say the
 * same, each row once, and of no account or chunk more than was submitted.
 */
export function expectBalance(
  books: Books,
  bookings: readonly Accepted[],
  limits: Readonly<Record<string, number>> = {},
): void {
  const limitOf = (accountId: string): number => limits[accountId] ?? 1000;
  const expected = firstFit(bookings, limitOf);
  const byAccount = Map.groupBy(expected, ({ accountId }) => accountId);
  const figures = [...byAccount].map(([accountId, chunks]) => ({
    accountId,
    used: grantedCost(chunks),
    rejected: rejectedCost(chunks),
  }));

  const counted = [...books.counters].map(([accountId, figure]) => ({ accountId, ...figure }));
  expect(sorted(counted)).toEqual(sorted(figures));

  const recorded = [...books.ledger].map(([chunkId, { accountId, outcome, rows }]) => ({
    chunkId,
    accountId,
    rows: rows?.map(({ id, cost }, row) => ({ id, cost, reason: outcome.reasons[row] })),
  }));
  expect(sorted(recorded)).toEqual(sorted(expected));
  for (const { accountId, used } of figures) {
    const own = [...books.ledger.values()].filter((entry) => entry.accountId === accountId);
    expect(own.reduce((total, { outcome }) => total + outcome.grantedCost, 0)).toBe(used);
  }

  const rows = expected.flatMap(({ rows }) => rows);
  expect(sorted(dispatchedRows(books))).toEqual(
    sorted(rows.filter(({ reason }) => reason === null).map(({ id }) => id)),
  );
  expect(sorted(rejectedRows(books))).toEqual(sorted(rows.filter(({ reason }) => reason !== null)));
  expect(sorted(usedByEvents(books))).toEqual(
    sorted(
      expected.map((chunk) => ({
        chunkId: chunk.chunkId,
        granted: grantedCost([chunk]),
        rejected: rejectedCost([chunk]),
      })),
    ),
  );
  const thresholds = figures.flatMap(({ accountId, used }) =>
    builtInPolicy.thresholds
      .filter((threshold) => used > 0 && used >= threshold * limitOf(accountId))
      .map((threshold) => `${accountId} ${threshold}`),
  );
  expect(sorted(thresholdsOf(books))).toEqual(sorted(thresholds));
}

/** Expects that no message was given up: none is dead or in quarantine. */
export async function expectNothingSetAside({ clients, queues }: Pick<World, 'clients' | 'queues'>): Promise<void> {
  for (const queue of [queues.bookingsDead, queues.pacingDead, queues.quarantine]) {
    expect(await messagesIn(clients, queue.url), queue.url).toBe(0);
  }
}

function dispatchedRows({ dispatches }: Books): string[] {
  return [...dispatches.values()].flatMap(({ reservations }) => reservations.map(({ id }) => id));
}

function rejectedRows({ events }: Books): object[] {
  return [...events.values()].flatMap((event) =>
    event.detailType === 'Reservations Rejected' ? event.detail.data.reservations : [],
  );
}

function usedByEvents({ events }: Books): object[] {
  return [...events.values()].flatMap((event) => {
    if (event.detailType !== 'Quota Usage Recorded') return [];
    const { granted, rejected, bookingId, chunk: chunkIndex } = event.detail.data;
    return [{ chunkId: chunkIdOf({ bookingId, chunkIndex }), granted: granted.cost, rejected: rejected.cost }];
  });
}

function thresholdsOf({ events }: Books): string[] {
  return [...events.values()].flatMap((event) =>
    event.detailType === 'Quota Threshold Reached'
      ? [`${event.detail.data.accountId} ${event.detail.data.threshold}`]
      : [],
  );
}

/** The list in one order, to compare lists that may come in any. */
function sorted<T>(list: readonly T[]): T[] {
  return list.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
