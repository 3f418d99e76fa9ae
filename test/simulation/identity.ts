/**
 * A consumer's memory of ids, as contracts.md tells it to keep one: what comes again under an id is a repeat, whatever
 * it says.
 */
export class Remembered {
  readonly #known = new Map<string, { readonly content: string; readonly atMs: number }>();
  readonly #forMs: number;

  /** @param forMs how long after its first coming an id is remembered */
  constructor(forMs: number) {
    this.#forMs = forMs;
  }

  /** `changed` is a repeat with another content, which nobody who goes by ids would ever see. */
  take(id: string, content: string, atMs: number): 'new' | 'repeat' | 'changed' {
    const known = this.#known.get(id);
    if (known !== undefined && atMs - known.atMs < this.#forMs) return known.content === content ? 'repeat' : 'changed';
    this.#known.set(id, { content, atMs });
    return 'new';
  }
}
