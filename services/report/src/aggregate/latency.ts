import type { Latency } from '../model/report.ts';

/** A sample of durations in milliseconds, packed: a million take eight megabytes. */
export class Sample {
  #values = new Float64Array(64);
  #size = 0;

  /** A negative duration, of clocks that differ, counts as 0. */
  add(durationMs: number): void {
    if (this.#size === this.#values.length) {
      const wider = new Float64Array(this.#size * 2);
      wider.set(this.#values);
      this.#values = wider;
    }
    this.#values[this.#size++] = Math.max(0, durationMs);
  }

  addAll(other: Sample): void {
    for (const value of other.#values.subarray(0, other.#size)) this.add(value);
  }

  /** Median and 95th percentile by nearest rank: the ⌈p·n⌉-th smallest of n values. Null without values. */
  latency(): Latency | null {
    if (this.#size === 0) return null;
    const sorted = this.#values.slice(0, this.#size).sort();
    const ranked = (percent: number): number => sorted[Math.ceil((percent * this.#size) / 100) - 1] ?? 0;
    return { chunks: this.#size, p50Ms: ranked(50), p95Ms: ranked(95) };
  }
}
