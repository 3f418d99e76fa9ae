// The errors that tell all there is to tell: a command prints their message and no stack trace. This file loads nothing,
// so that a command can name them before it loads the stack.

/** A policy file cannot be used; the message names the file, the account and the field. */
export class PolicyFileError extends Error {
  override readonly name = 'PolicyFileError';
}

/** A file cannot be read as text; the message names it, says what was found and what to do. */
export class TextFileError extends Error {
  override readonly name = 'TextFileError';
}

/** Files of bookings cannot be used; the message tells what is wrong by file and line, and what to do. */
export class BookingFileError extends Error {
  override readonly name = 'BookingFileError';
}

/** The file for the rows cannot be made; the message says why and what to do. */
export class RowsFileError extends Error {
  override readonly name = 'RowsFileError';
}

/** The folder for the reports cannot be used; the message says why and what to do. */
export class ReportsFolderError extends Error {
  override readonly name = 'ReportsFolderError';
}

/** The API refused a submission for good; the message tells its answer. */
export class SubmissionRefusedError extends Error {
  override readonly name = 'SubmissionRefusedError';
}

/** Some bookings stayed undecided: for a minute, not one more was decided. */
export class UndecidedError extends Error {
  override readonly name = 'UndecidedError';
}

/** The port asked for is taken, or may not be listened on. */
export class PortUnavailableError extends Error {
  override readonly name = 'PortUnavailableError';
}

/** Another process (or this one) has the data folder open; two writers would hand the same message out twice. */
export class DataFolderInUseError extends Error {
  override readonly name = 'DataFolderInUseError';

  constructor(dataDir: string, cause: unknown) {
    super(`The data folder ${dataDir} is in use by another running stack; stop that one or choose another folder.`, {
      cause,
    });
  }
}

/** The data folder cannot be made, opened or written. */
export class DataFolderUnusableError extends Error {
  override readonly name = 'DataFolderUnusableError';

  constructor(dataDir: string, cause: unknown) {
    super(`The data folder ${dataDir} cannot be used: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}

/** The data folder was made by a version whose table lacks indexes; nothing in it was changed. */
export class DataFolderOutdatedError extends Error {
  override readonly name = 'DataFolderOutdatedError';

  constructor(dataDir: string, missingIndexes: readonly string[]) {
    super(
      `The data folder ${dataDir} was made by an earlier version, whose table has no index ${missingIndexes.join(' and ')}; ` +
        'choose another folder, that one stays as it is.',
    );
  }
}

/** A rehearsal did not come to its end; the message says what was waited for. */
export class RehearsalError extends Error {
  override readonly name = 'RehearsalError';
}
