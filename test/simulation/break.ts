import type { Violation } from './history.ts';

/** One piece of a file's text, to be replaced by another. */
export interface Edit {
  /** The file's path from the repository's root. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** A deliberate fault of Usher's own code, and the promise whose check must see it. */
export interface Break {
  readonly name: string;
  readonly tells: string;
  readonly edits: readonly Edit[];
  /** The promises that may catch it: the seed decides which sees it first. */
  readonly promises: readonly Violation['promise'][];
  /** The first seed to play; for a rare break one that is known to be near its catch. */
  readonly from?: number;
  /** The most seeds from there until one catches it. */
  readonly within: number;
}
