/** How a service does one call: steps, each at an instant of its own, and then the answer. */
export interface Served {
  readonly steps: readonly (() => void)[];
  readonly finish: () => object;
}
