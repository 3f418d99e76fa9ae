/** A service's work for one call: steps, each at an instant of its own, and then the answer. */
export interface Served {
  readonly steps: readonly (() => void)[];
  readonly finish: () => object;
}
