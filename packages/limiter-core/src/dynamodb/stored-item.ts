import type { AttributeValue } from '@aws-sdk/client-dynamodb';
import { CorruptItemError } from '../errors.ts';
import type { Policy, Seen } from '../limiter/store.ts';
import type { BucketState } from '../limiter/strategies/bucket.ts';
import type { SlidingState, SlidingWindow } from '../limiter/strategies/sliding-window.ts';
import type { State } from '../limiter/strategies/strategy.ts';
import type { CountedWindow, WindowState } from '../limiter/strategies/window.ts';
import { attributes, slidingStart, spansAt } from './attributes.ts';

/** An item's attributes as the table gives them; none where there is no item. */
export type Attributes = Readonly<Record<string, AttributeValue>>;

/**
 * A key's item, as it was last seen; an absent one has no attributes. What is of the wrong form throws a CorruptItemError
 * once it is asked for.
 */
export class StoredItem {
  readonly #id: string;
  readonly #attributes: Attributes;
  /** False where the item was never seen, and is only taken to be absent. */
  readonly isSeen: boolean;

  constructor(id: string, attributes?: Attributes) {
    this.#id = id;
    this.#attributes = attributes ?? {};
    this.isSeen = attributes !== undefined;
  }

  get names(): string[] {
    return Object.keys(this.#attributes);
  }

  number(attribute: string): number | undefined {
    const value = this.#attributes[attribute];
    if (value === undefined) return undefined;
    const number = Number(value.N ?? Number.NaN);
    if (!Number.isFinite(number)) throw this.#corrupt(`${attribute} must be a number`);
    return number;
  }

  /** True where the write of this id was the last one. */
  isLeftBy(id: string): boolean {
    return this.#attributes[attributes.lastWrite]?.S === id;
  }

  /** The key as these policies see it at an instant. */
  seen(policies: readonly Policy[], nowMs: number): Seen {
    const states = policies.map(({ name, strategy }): State | undefined => {
      if (strategy.kind === 'bucket') return this.bucket(name);
      return strategy.kind === 'window'
        ? this.#window(name, strategy, nowMs)
        : this.#slidingWindow(name, strategy, nowMs);
    });
    return { states, blockedUntilMs: this.number(attributes.blockedUntil) ?? 0, nowMs };
  }

  bucket(policy: string): BucketState | undefined {
    const tat = this.number(attributes.tat(policy));
    if (tat === undefined) return undefined;
    const rate = attributes.rate(policy);
    const [, ticksPerMs, ticksPerCost] = /^([1-9]\d*)\/([1-9]\d*)$/.exec(this.#attributes[rate]?.S ?? '') ?? [];
    if (ticksPerMs === undefined) throw this.#corrupt(`${rate} must be two whole numbers with a slash between`);
    return {
      kind: 'bucket',
      tat,
      sinceMs: this.#needed(attributes.since(policy)),
      given: this.#needed(attributes.given(policy)),
      ticksPerMs: Number(ticksPerMs),
      ticksPerCost: Number(ticksPerCost),
    };
  }

  #window(policy: string, strategy: CountedWindow, nowMs: number): WindowState | undefined {
    const { own, next } = spansAt(strategy, nowMs);
    for (const { startMs, endMs } of [next, own]) {
      const used = this.number(attributes.window(policy, { startMs, endMs }));
      if (used !== undefined) return { kind: 'window', startMs, endMs, used };
    }
    return undefined;
  }

  #slidingWindow(policy: string, strategy: SlidingWindow, nowMs: number): SlidingState | undefined {
    const { windowMs } = strategy;
    const ownMs = slidingStart(strategy, nowMs);
    const usedFrom = (startMs: number): number | undefined =>
      this.number(attributes.sliding(policy, startMs, windowMs));
    for (const startMs of [ownMs + windowMs, ownMs]) {
      const used = usedFrom(startMs);
      const previous = usedFrom(startMs - windowMs);
      if (used !== undefined || (startMs === ownMs && previous !== undefined)) {
        return { kind: 'sliding', startMs, windowMs, used: used ?? 0, previous: previous ?? 0 };
      }
    }
    return undefined;
  }

  #needed(attribute: string): number {
    const number = this.number(attribute);
    if (number === undefined) throw this.#corrupt(`${attribute} must be a number`);
    return number;
  }

  #corrupt(problem: string): CorruptItemError {
    return new CorruptItemError(this.#id, problem);
  }
}
