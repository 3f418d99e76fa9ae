/** An error of Usher's own: its message is made of ids, counts and names of fields, never of what partners sent. */
export class UsherError extends Error {
  override readonly name: string = 'UsherError';
}

/** A policy breaks a rule; the message names the field and what was expected. */
export class InvalidPolicyError extends UsherError {
  override readonly name = 'InvalidPolicyError';
  readonly problem: string;
  constructor(problem: string) {
    super(`Invalid policy: ${problem}`);
    this.problem = problem;
  }
}

/**
 * Something failed by what it was given, not by a service: the same input fails again. Neither an unreadable policy is
 * one, which an operator mends, nor what a service answers, whatever it says: a wrong table would look like wrong input.
 */
export class DeterministicError extends UsherError {
  override readonly name: string = 'DeterministicError';
}

/** An argument of the library is outside its domain; a mistake of the caller, not of its input. */
export class InvalidArgumentError extends DeterministicError {
  override readonly name = 'InvalidArgumentError';
}

/** A stored item cannot be read; the message names the attribute. Nothing is decided on such an item. */
export class CorruptItemError extends DeterministicError {
  override readonly name = 'CorruptItemError';
  constructor(item: string, problem: string) {
    super(`Stored item ${item} cannot be read: ${problem}`);
  }
}

/** DynamoDB kept some keys of a batch unprocessed until the attempts ran out: unread is never absent. */
export class UnprocessedError extends UsherError {
  override readonly name = 'UnprocessedError';
  constructor(operation: string, count: number, attempts: number) {
    super(`${operation} left ${count} of its keys unprocessed after ${attempts} attempts`);
  }
}

/** The account changed under every attempt to settle; the messages go back to the queue. */
export class ContentionError extends UsherError {
  override readonly name = 'ContentionError';
  constructor(accountId: string, attempts: number) {
    super(`Account ${accountId} was changed by others during each of ${attempts} attempts to settle`);
  }
}

/** The caller's time ran out before this account was settled; nothing was written for it. */
export class DeadlineError extends UsherError {
  override readonly name = 'DeadlineError';
  constructor(accountId: string) {
    super(`No time was left to settle account ${accountId}`);
  }
}

/**
 * Runs code that asks no service, so that whatever it throws is told as what it is.
 *
 * @throws DeterministicError, with what was thrown as its cause where that was none
 */
export function purely<T>(compute: () => T): T {
  try {
    return compute();
  } catch (cause) {
    if (cause instanceof DeterministicError) throw cause;
    throw new DeterministicError('Code failed on its input', { cause });
  }
}
