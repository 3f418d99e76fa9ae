import type { Violation } from './history.ts';

/** One piece of a file's text, to be replaced by another. */
export interface Edit {
  /** From the repository's root. */
  readonly file: string;
  readonly find: string;
  readonly replace: string;
}

/** A deliberate fault of Usher's own code, and the promise whose check must see it. */
export interface Break {
  readonly name: string;
  readonly tells: string;
  readonly edits: readonly Edit[];
  /** Any of these; which one sees it first depends on the seed. */
  readonly promises: readonly Violation['promise'][];
  /** Where to begin looking: for rare ones a seed that is known, so that the test need not play those before. */
  readonly from?: number;
  /** How many seeds it may take from there until it is seen. */
  readonly within: number;
}
