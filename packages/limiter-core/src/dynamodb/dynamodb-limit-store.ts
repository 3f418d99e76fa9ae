import { OverloadedError } from '../limiter/errors.ts';
import { LruMap } from '../limiter/lru-map.ts';
import type { LimitStore, Limits, Seen, Taken } from '../limiter/store.ts';
import type { State } from '../limiter/strategies/strategy.ts';
import { allAborted } from './all-aborted.ts';
import { attributes } from './attributes.ts';
import { BusyShares } from './busy-shares.ts';
import { Expression } from './expression.ts';
import { StoredItem } from './stored-item.ts';
import type { Table, Updated } from './table.ts';
import { type BatchCalls, decideBatch } from './take-batch.ts';
import { TakeQueue, type Waiting } from './take-queue.ts';
import { blockExpression, type Change, giveBackExpression, mendExpression, staleIn, takeExpression } from './update.ts';

type Key = Omit<Limits, 'policies'>;

/** Each lost round means that another process changed the key in between. */
const maxRounds = 50;

/** The keys of which the item as it was last seen is kept, for guesses. */
const maxSeen = 10_000;

/** Ended windows that an item may hold before they are cleared by a write of their own. */
const maxStale = 16;

/**
 * Keeps limits in a DynamoDB table, one item a key. Every change is one conditional update of just the attributes that it
 * is about; nothing is read, changed and put back. The item as it was last seen in this process only makes the first guess
 * likely to hold.
 */
export class DynamoDbLimitStore implements LimitStore {
  readonly #table: Table;
  readonly #seen = new LruMap<StoredItem>(maxSeen);
  readonly #busyShares = new BusyShares(maxSeen);
  readonly #takes = new TakeQueue((id, batch) => this.#decide(id, batch));

  constructor(table: Table) {
    this.#table = table;
  }

  take(limits: Limits, cost: number): Promise<Taken> {
    return this.#takes.take(this.#table.idOf(limits), limits, cost);
  }

  async peek({ policies, nowMs, signal, ...limits }: Limits): Promise<Seen> {
    const id = this.#table.idOf(limits);
    const item = await this.#table.get(id, signal);
    const seen = item.seen(policies, nowMs);
    this.#seen.set(id, item);
    return seen;
  }

  async charge(limits: Limits, cost: number): Promise<Seen> {
    const { policies, nowMs, signal } = limits;
    const id = this.#table.idOf(limits);
    return this.#guessing(id, async () => {
      const item = await this.#until(id, this.#lastSeen(id), { signal }, (last) =>
        takeExpression(this.#change(limits, last), { cost, isBounded: false }),
      );
      void this.#clear(id, item, nowMs);
      return item.seen(policies, nowMs);
    });
  }

  async giveBack(limits: Limits, cost: number, taken: readonly State[]): Promise<void> {
    const { signal } = limits;
    const id = this.#table.idOf(limits);
    const refund = (item: StoredItem) => giveBackExpression(this.#change(limits, item), cost, taken);
    // What was seen before may be too old to tell that a policy gets nothing back.
    await this.#guessing(id, async () => {
      const last = this.#lastSeen(id);
      const first = last.isSeen && refund(last).isForAll ? last : await this.#table.get(id, signal);
      await this.#until(id, first, { signal, isOnce: true }, (item) => refund(item).expression);
    });
  }

  async block({ signal, ...limits }: Key, untilMs: number): Promise<void> {
    const id = this.#table.idOf(limits);
    const { nowMs } = limits;
    const { ttlAttribute } = this.#table.layout;
    if (untilMs > nowMs) {
      const expressionFor = (item: StoredItem): Expression => blockExpression({ item, nowMs, ttlAttribute }, untilMs);
      await this.#guessing(id, () => this.#until(id, this.#lastSeen(id), { signal }, expressionFor));
    } else {
      await this.#until(id, new StoredItem(id), { signal }, unblockExpression);
    }
  }

  async delete({ signal, ...limits }: Key): Promise<void> {
    const id = this.#table.idOf(limits);
    await this.#table.delete(id, signal);
    this.#seen.delete(id);
  }

  async #decide(id: string, batch: readonly Waiting[]): Promise<void> {
    const limits = batch[0]?.limits;
    if (limits === undefined) return;
    const { policies } = limits;
    const nowMs = Math.max(...batch.map((waiting) => waiting.limits.nowMs));
    const { signal, release } = allAborted(batch.map((waiting) => waiting.limits.signal));
    const change = (item: StoredItem): Change => this.#change({ policies, nowMs }, item);
    const calls: BatchCalls = {
      take: async (item, cost, isGuess) => {
        const isLikelyBusy = (policy: string): boolean => isGuess && this.#busyShares.isLikelyBusy(id, policy);
        const expression = takeExpression(change(item), { cost, isBounded: true, isLikelyBusy });
        const updated = await this.#update(id, expression, { signal });
        if (isGuess) this.#busyShares.learn(id, policies, { last: item, updated, nowMs });
        if (updated.isDone) void this.#clear(id, updated.item, nowMs);
        return updated;
      },
      get: () => this.#table.get(id, signal),
      mend: async (item) => {
        const expression = mendExpression(change(item));
        return expression.changesNothing ? undefined : this.#update(id, expression, { signal });
      },
    };
    try {
      await this.#guessing(id, () => decideBatch(batch, { policies, nowMs, item: this.#lastSeen(id) }, calls));
    } finally {
      release();
    }
  }

  /** Tries until the condition holds, or until nothing is left to change. */
  async #until(
    id: string,
    first: StoredItem,
    options: { readonly signal: AbortSignal | undefined; readonly isOnce?: boolean },
    expressionFor: (item: StoredItem) => Expression,
  ): Promise<StoredItem> {
    let item = first;
    for (let round = 0; round < maxRounds; round++) {
      const expression = expressionFor(item);
      if (expression.changesNothing) return item;
      const updated = await this.#update(id, expression, options);
      if (updated.isDone) return updated.item;
      item = updated.item;
    }
    throw new OverloadedError();
  }

  /** Forgets the item after a failure: guesses by one that cannot be read would fail for as long as it is remembered. */
  async #guessing<T>(id: string, change: () => Promise<T>): Promise<T> {
    try {
      return await change();
    } catch (error) {
      this.#seen.delete(id);
      throw error;
    }
  }

  async #update(
    id: string,
    expression: Expression,
    options: { readonly signal: AbortSignal | undefined; readonly isOnce?: boolean },
  ): Promise<Updated> {
    const updated = await this.#table.update(id, expression, options);
    this.#seen.set(id, updated.item);
    return updated;
  }

  /**
   * Clears an item of windows that are over, where there are many. Each process clears those that it saw in its next write;
   * a key that always meets a new process would grow without end.
   */
  async #clear(id: string, item: StoredItem, nowMs: number): Promise<void> {
    const stale = staleIn(item, nowMs);
    if (stale.length < maxStale) return;
    const x = new Expression();
    x.require(`attribute_exists(${x.name(this.#table.layout.partitionKey)})`);
    for (const name of stale) x.remove(name);
    // The take is done, and its answer does not wait. What is not cleared now is cleared by the next one.
    await this.#update(id, x, { signal: undefined }).catch(() => undefined);
  }

  #lastSeen(id: string): StoredItem {
    return this.#seen.get(id) ?? new StoredItem(id);
  }

  #change({ policies, nowMs }: Pick<Limits, 'policies' | 'nowMs'>, item: StoredItem): Change {
    return { policies, nowMs, item, ttlAttribute: this.#table.layout.ttlAttribute };
  }
}

/** The end of a block, where there is one: an item that has none is not made. */
function unblockExpression(item: StoredItem): Expression {
  const x = new Expression();
  if (item.isSeen && item.number(attributes.blockedUntil) === undefined) return x;
  x.require(`attribute_exists(${x.name(attributes.blockedUntil)})`);
  x.remove(attributes.blockedUntil);
  return x;
}
