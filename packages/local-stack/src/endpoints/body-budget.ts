/** Memory that the bodies of requests under way may take together, so that no number of clients exhausts the process. */
export class BodyBudget {
  #freeBytes: number;

  constructor(bytes: number) {
    this.#freeBytes = bytes;
  }

  /**
   * Takes bytes from what is free.
   *
   * @returns gives them back, however often it is called; undefined where so many are not free
   */
  take(bytes: number): (() => void) | undefined {
    if (bytes > this.#freeBytes) return undefined;
    this.#freeBytes -= bytes;
    let held = bytes;
    return () => {
      this.#freeBytes += held;
      held = 0;
    };
  }
}
