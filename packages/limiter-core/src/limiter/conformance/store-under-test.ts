import type { VirtualClock } from '../../clock.ts';
import type { LimitStore } from '../store.ts';

/** A store for one test: its keys must not meet those of another one. */
export interface StoreUnderTest {
  /** A store that takes the time from the clock it is made with. */
  readonly store: LimitStore;
  /** Called when the test is over. */
  readonly close?: () => Promise<void> | void;
}

/** Makes a store that takes the time from this clock, and from nowhere else. */
export type MakeStore = (options: { readonly clock: VirtualClock }) => StoreUnderTest | Promise<StoreUnderTest>;
