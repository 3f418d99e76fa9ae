/** A command line that cannot be used; the message says what is wrong with it. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The command line asked for the help or the version, and has got it. */
export class AnsweredError extends Error {
  override readonly name = 'AnsweredError';
}

/** A signal that ended a command. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
}

/** The reader of a command's output has gone, as `head` does once it has its lines. */
export class OutputClosedError extends Error {
  override readonly name = 'OutputClosedError';
}
