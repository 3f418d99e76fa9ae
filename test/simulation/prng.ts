/**
 * The one source of chance in a run. sfc32 (Chris Doty-Humphrey's Small Fast Chaotic generator, of PractRand), seeded by
 * a whole number and warmed up; the same seed always gives the same run.
 */
export class Prng {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  constructor(seed: number) {
    this.#a = seed >>> 0;
    this.#b = Math.floor(seed / 2 ** 32) >>> 0;
    this.#c = 0x9e3779b9;
    for (let i = 0; i < 15; i++) this.#next();
  }

  /** A number in [0, 1). */
  readonly random = (): number => this.#next() / 2 ** 32;

  /** A whole number from `min` to `max`, both included. */
  int(min: number, max: number): number {
    return min + Math.floor(this.random() * (max - min + 1));
  }

  chance(probability: number): boolean {
    return this.random() < probability;
  }

  pick<T>(list: readonly [T, ...T[]]): T {
    return list[this.int(0, list.length - 1)] ?? list[0];
  }

  /** Like {@link pick} for a list that may be empty. */
  pickFrom<T>(list: readonly T[]): T | undefined {
    return list[this.int(0, list.length - 1)];
  }

  shuffled<T>(list: readonly T[]): T[] {
    return list
      .map((value) => ({ value, key: this.random() }))
      .sort((x, y) => x.key - y.key)
      .map(({ value }) => value);
  }

  #next(): number {
    const t = (this.#a + this.#b + this.#counter++) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + t;
    return (this.#c + 0) >>> 0;
  }
}
