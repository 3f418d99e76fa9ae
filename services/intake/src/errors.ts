import { CorruptItemError, InvalidPolicyError, UsherError } from '@usher/limiter-core';

/** A store or queue did not answer; the caller may try again. The cause says what it said. */
export class UnavailableError extends UsherError {
  override readonly name: string = 'UnavailableError';
  constructor(what: string, cause: unknown, did = 'did not answer') {
    super(`${what} ${did}`, { cause });
  }
}

/**
 * An account's own items cannot be read, or its policy breaks a rule. Nothing is decided for it until an operator has
 * mended that: the default is for accounts that have no policy.
 */
export class UnreadableAccountError extends UnavailableError {
  override readonly name: string = 'UnreadableAccountError';
  readonly accountId: string;
  constructor(accountId: string, cause: unknown) {
    super(`Account ${accountId}`, cause, 'cannot be read');
    this.accountId = accountId;
  }
}

/** Makes one call to a store, telling its failures apart from answers that cannot be read. */
export async function reach<T>(what: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw unavailable(what, error);
  }
}

/** The error to throw for what a store said: itself where trying again cannot help. */
export function unavailable(what: string, error: unknown): Error {
  const final =
    error instanceof UnavailableError || error instanceof CorruptItemError || error instanceof InvalidPolicyError;
  return final ? error : new UnavailableError(what, error);
}
