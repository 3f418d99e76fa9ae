/** A policy breaks a rule; the message names the field and what was expected. */
export class InvalidPolicyError extends Error {
  override readonly name = 'InvalidPolicyError';
  readonly problem: string;
  constructor(problem: string) {
    super(`Invalid policy: ${problem}`);
    this.problem = problem;
  }
}

/** An argument of the library is outside its domain; a mistake of the caller, not of its input. */
export class InvalidArgumentError extends Error {
  override readonly name = 'InvalidArgumentError';
}

/** A stored item cannot be read; the message names the attribute. Nothing is decided on such an item. */
export class CorruptItemError extends Error {
  override readonly name = 'CorruptItemError';
  constructor(item: string, problem: string) {
    super(`Stored item ${item} cannot be read: ${problem}`);
  }
}

/** DynamoDB kept some keys of a batch unprocessed until the attempts ran out: unread is never absent. */
export class UnprocessedError extends Error {
  override readonly name = 'UnprocessedError';
  constructor(operation: string, count: number, attempts: number) {
    super(`${operation} left ${count} of its keys unprocessed after ${attempts} attempts`);
  }
}

/** The account changed under every attempt to settle; the messages go back to the queue. */
export class ContentionError extends Error {
  override readonly name = 'ContentionError';
  constructor(accountId: string, attempts: number) {
    super(`Account ${accountId} was changed by others during each of ${attempts} attempts to settle`);
  }
}

/** The caller's time ran out before this account was settled; nothing was written for it. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
  constructor(accountId: string) {
    super(`No time was left to settle account ${accountId}`);
  }
}
