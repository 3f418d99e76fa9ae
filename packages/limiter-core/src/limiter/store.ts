import type { State, Strategy } from './strategies/strategy.ts';

/** One limit of a key, under the name that its state is kept by. */
export interface Policy {
  /** 1 to 32 letters, digits, `_` and `-`. */
  readonly name: string;
  readonly strategy: Strategy;
}

/** A key's limits. All of them are decided together: a cost is taken from each, or from none. */
export interface Limits {
  /** The limiter's name: keys of two limiters never meet. */
  readonly limiter: string;
  readonly key: string;
  /** At least one; no two of one name. */
  readonly policies: readonly Policy[];
  /**
   * The instant of the decision, milliseconds since the Unix epoch. A store with a clock of its own uses that one, and
   * tells its instant in {@link Seen}.
   */
  readonly nowMs: number;
  /** Aborted when nobody waits for the answer any more. */
  readonly signal?: AbortSignal | undefined;
}

/** A key as a store holds it. */
export interface Seen {
  /**
   * The state of each policy, in order; absent, or beyond the list's end, where nothing is stored. As stored: not yet brought
   * to `nowMs`.
   */
  readonly states: readonly (State | undefined)[];
  /** The first instant at which the key is no longer blocked, milliseconds since the Unix epoch; 0 where it never was. */
  readonly blockedUntilMs: number;
  /** The instant that was decided at. */
  readonly nowMs: number;
}

/** The answer to a take: the key after it, or as it is where nothing was taken. */
export interface Taken extends Seen {
  readonly taken: boolean;
}

/**
 * A store of limits. Each method is atomic for its key. None of them guesses: what fails throws, and only a
 * {@link StoreUnavailableError} or an {@link OverloadedError} means that the store could not be asked.
 */
export interface LimitStore {
  /**
   * Takes a cost from every policy if it fits all of them and the key is not blocked. A refusal changes nothing, but for a
   * bucket that a wrong clock began (`isFromAhead`): it is stored as empty as of now.
   */
  take(limits: Limits, cost: number): Promise<Taken>;
  /** Looks, and changes nothing. */
  peek(limits: Limits): Promise<Seen>;
  /** Takes a cost from every policy, whatever is left and whether or not the key is blocked. */
  charge(limits: Limits, cost: number): Promise<Seen>;
  /**
   * Gives a cost back to every policy, as {@link Rule.giveBack} tells. The state of one that gets nothing stays as stored.
   *
   * @param taken the states just after the cost was taken, one for each policy
   */
  giveBack(limits: Limits, cost: number, taken: readonly State[]): Promise<void>;
  /** Refuses every take until an instant; an instant that has passed ends a block. Counts stay. */
  block(limits: Omit<Limits, 'policies'>, untilMs: number): Promise<void>;
  /** Forgets the key: its limits are full and it is not blocked. */
  delete(limits: Omit<Limits, 'policies'>): Promise<void>;
}

/** A store that answers at once. */
export interface SyncLimitStore extends LimitStore {
  takeSync(limits: Limits, cost: number): Taken;
}
