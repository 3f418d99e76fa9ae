/** A clock answers the current instant in whole milliseconds since the Unix epoch. */
export type Clock = () => number;

/** The machine's own clock. The only place in Usher that asks for the time; everything else is told it. */
export const systemClock: Clock = () => Date.now();

/** A clock that moves only when told to, for tests and simulations. */
export interface VirtualClock extends Clock {
  /** Moves the clock by `ms` milliseconds; a negative number moves it back, as a real clock's correction does. */
  advance(ms: number): void;
  /** Sets the clock to an instant, in milliseconds since the Unix epoch. */
  set(epochMs: number): void;
}

/**
 * Makes a {@link VirtualClock} that starts at an instant, given as epoch milliseconds or an RFC 3339 string.
 *
 * @example
 * ```ts
 * const clock = virtualClock('2026-03-10T12:00:00Z');
 * clock.advance(1000);
 * new Date(clock()).toISOString(); // '2026-03-10T12:00:01.000Z'
 * ```
 */
export function virtualClock(start: number | string): VirtualClock {
  let now = typeof start === 'number' ? start : Date.parse(start);
  const clock = (): number => now;
  return Object.assign(clock, {
    advance: (ms: number): void => {
      now += ms;
    },
    set: (epochMs: number): void => {
      now = epochMs;
    },
  });
}
