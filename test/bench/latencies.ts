/** The times that decisions took, each with the number of decisions that shared it. */
export interface Latencies {
  /** Takes note of one operation. */
  add(ms: number, decisions: number): void;
  /** Takes over what another has noted. */
  addAll(other: Latencies): void;
  /** The time within which this share of the decisions was made, in ms; NaN of none. */
  quantile(share: number): number;
  readonly entries: readonly (readonly [ms: number, decisions: number])[];
}

/** Begins a list of latencies. A decision waits as long as the operation that it was part of. */
export function newLatencies(): Latencies {
  const entries: (readonly [ms: number, decisions: number])[] = [];
  return {
    entries,
    add: (ms, decisions) => {
      entries.push([ms, decisions]);
    },
    addAll: (other) => {
      for (const entry of other.entries) entries.push(entry);
    },
    quantile: (share) => {
      const sorted = entries.toSorted(([a], [b]) => a - b);
      const wanted = share * sorted.reduce((total, [, decisions]) => total + decisions, 0);
      let seen = 0;
      for (const [ms, decisions] of sorted) {
        seen += decisions;
        if (seen >= wanted) return ms;
      }
      return Number.NaN;
    },
  };
}
