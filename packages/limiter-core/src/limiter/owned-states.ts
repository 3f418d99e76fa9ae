import { isLasting } from './policies.ts';
import type { Policy, Seen } from './store.ts';
import type { State } from './strategies/strategy.ts';

type Named = Pick<Policy, 'name'>;

type Writable<T> = T extends unknown ? { -readonly [K in keyof T]: T[K] } : never;

/**
 * A key's states as memory keeps them: its own objects, which each write changes in place. A new object would be kept
 * alive by an old one, and what is kept so is what a garbage collector spends its time on: with a million keys most of a
 * check. Nobody else keeps these objects.
 */
export interface OwnedStates {
  /**
   * The names of the policies that the states are of; a list is shared with other keys. Only a lasting list is kept itself:
   * one of a single call would keep its strategies alive, which take more than the states, and could change.
   */
  policies: readonly Named[];
  states: (Writable<State> | undefined)[];
}

/** @param like the states of another key, as a rule of the same policies */
export function own(policies: readonly Policy[], states: Seen['states'], like: OwnedStates | undefined): OwnedStates {
  const isLike = like !== undefined && isSame(policies, like.policies);
  return { policies: isLike ? like.policies : keptOf(policies), states: states.map(copyOf) };
}

/** The states of policies, in order, for who has done with them before anything is written. */
export function lend(owned: OwnedStates, policies: readonly Policy[]): Seen['states'] {
  const { states } = owned;
  if (isSame(policies, owned.policies)) return states;
  return policies.map((policy) => states[indexOf(owned.policies, policy)]);
}

/** Keeps states beside those of policies that are not asked for now: another plan may have them. */
export function write(owned: OwnedStates, policies: readonly Policy[], states: Seen['states']): void {
  if (!isSame(policies, owned.policies)) putFirst(owned, policies);
  let i = 0;
  for (const state of states) {
    const mine = owned.states[i];
    if (mine === undefined || state === undefined || !overwrite(mine, state)) owned.states[i] = copyOf(state);
    i++;
  }
}

function putFirst(owned: OwnedStates, asked: readonly Policy[]): void {
  const { policies, states } = owned;
  owned.policies = [...asked, ...policies.filter((policy) => indexOf(asked, policy) < 0)].map(nameOf);
  owned.states = owned.policies.map((policy) => states[indexOf(policies, policy)]);
}

/** The first instant at which all states are as good as none, whatever their rules: milliseconds since the Unix epoch. */
export function matterUntilMs({ states }: OwnedStates): number {
  let untilMs = 0;
  for (const state of states) {
    if (state?.kind === 'bucket') untilMs = Math.max(untilMs, state.tat / state.ticksPerMs);
    else if (state?.kind === 'window') untilMs = Math.max(untilMs, state.endMs);
    else if (state !== undefined) untilMs = Math.max(untilMs, state.startMs + 2 * state.windowMs);
  }
  return untilMs;
}

/** States that stay as they are, whatever is written. */
export function copiesOf(states: Seen['states']): Seen['states'] {
  return states.map(copyOf);
}

/** Field by field: V8 then keeps a number in its place, where a copy by spread would point to a new one at each write. */
function copyOf(state: State | undefined): Writable<State> | undefined {
  if (state === undefined) return undefined;
  if (state.kind === 'bucket') {
    const { kind, tat, sinceMs, given, ticksPerMs, ticksPerCost } = state;
    return { kind, tat, sinceMs, given, ticksPerMs, ticksPerCost };
  }
  if (state.kind === 'window') {
    const { kind, startMs, endMs, used } = state;
    return { kind, startMs, endMs, used };
  }
  const { kind, startMs, windowMs, used, previous } = state;
  return { kind, startMs, windowMs, used, previous };
}

/** @returns false for a state of another kind, which was not written */
function overwrite(mine: Writable<State>, state: State): boolean {
  if (mine.kind === 'bucket' && state.kind === 'bucket') {
    mine.tat = state.tat;
    mine.sinceMs = state.sinceMs;
    mine.given = state.given;
    mine.ticksPerMs = state.ticksPerMs;
    mine.ticksPerCost = state.ticksPerCost;
    return true;
  }
  if (mine.kind === 'window' && state.kind === 'window') {
    mine.startMs = state.startMs;
    mine.endMs = state.endMs;
    mine.used = state.used;
    return true;
  }
  if (mine.kind === 'sliding' && state.kind === 'sliding') {
    mine.startMs = state.startMs;
    mine.windowMs = state.windowMs;
    mine.used = state.used;
    mine.previous = state.previous;
    return true;
  }
  return false;
}

function keptOf(policies: readonly Policy[]): readonly Named[] {
  return isLasting(policies) ? policies : policies.map(nameOf);
}

function nameOf({ name }: Named): Named {
  return { name };
}

function indexOf(policies: readonly Named[], { name }: Named): number {
  return policies.findIndex((policy) => policy.name === name);
}

/** True where the names are the same, in order. As a rule it is one list: that of a limiter, which its keys keep. */
function isSame(policies: readonly Named[], others: readonly Named[]): boolean {
  if (policies === others) return true;
  if (policies.length !== others.length) return false;
  let i = 0;
  for (const { name } of policies) if (name !== others[i++]?.name) return false;
  return true;
}
