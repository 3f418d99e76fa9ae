/** Counts by name, in the order in which the names were first met. */
export class Counts {
  readonly #counts = new Map<string, number>();

  add(name: string, times = 1): void {
    this.#counts.set(name, this.of(name) + times);
  }

  of(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  /** `3 of this, 2 of that`, most of all first; `none` where there is nothing. */
  toString(): string {
    const listed = [...this.#counts].sort(([, a], [, b]) => b - a).map(([name, count]) => `${count} ${name}`);
    return listed.join(', ') || 'none';
  }
}
