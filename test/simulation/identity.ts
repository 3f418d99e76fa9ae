/**
 * A consumer's memory of ids, as contracts.md tells it to keep one, for ever: what comes again under an id is a repeat,
 * whatever it says.
 */
export class Remembered {
  readonly #known = new Map<string, string>();

  /** `changed` is a repeat with another content, which nobody who goes by ids would ever see. */
  take(id: string, content: string): 'new' | 'repeat' | 'changed' {
    const known = this.#known.get(id);
    if (known !== undefined) return known === content ? 'repeat' : 'changed';
    this.#known.set(id, content);
    return 'new';
  }
}
