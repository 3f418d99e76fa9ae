/** Numbers that look random and follow from a seed alone: where histories are too many for a property's arbitraries. */
export interface Random {
  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number;
  pick<const T>(from: readonly [T, ...T[]]): T;
  chance(share: number): boolean;
}

/** The generator mulberry32 (Tommy Ettinger, public domain). */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const int = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    int,
    pick: (from) => from[int(0, from.length - 1)] ?? from[0],
    chance: (share) => next() < share,
  };
}
