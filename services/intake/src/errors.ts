import { CorruptItemError, InvalidPolicyError, UsherError } from '@usher/limiter-core/bulk';
import { errorFields, type Log, type Meter } from '@usher/service';
import { type IntakeMetric, intakeMetrics } from './metrics.ts';

/** A store or queue did not answer; the caller may try again. The cause is its own error. */
export class UnavailableError extends UsherError {
  override readonly name: string = 'UnavailableError';
  constructor(what: string, cause: unknown, did = 'did not answer') {
    super(`${what} ${did}`, { cause });
  }
}

/**
 * An account's own items cannot be read, or its policy breaks a rule. Nothing is decided for it until an operator mends
 * that: the default policy is for accounts that have none.
 */
export class UnreadableAccountError extends UnavailableError {
  override readonly name: string = 'UnreadableAccountError';
  readonly accountId: string;
  constructor(accountId: string, cause: unknown) {
    super(`Account ${accountId}`, cause, 'cannot be read');
    this.accountId = accountId;
  }
}

/** Makes one call to a store. A call that fails throws {@link unavailable}. */
export async function reach<T>(what: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw unavailable(what, error);
  }
}

/** The error to throw for a store's own: an UnavailableError, or the error itself where trying again cannot help. */
export function unavailable(what: string, error: unknown): Error {
  const final =
    error instanceof UnavailableError || error instanceof CorruptItemError || error instanceof InvalidPolicyError;
  return final ? error : new UnavailableError(what, error);
}

/**
 * Tells operators of one stored item that cannot be read, where the answer goes on without it.
 *
 * @throws the error itself, if it is another
 */
export function reportUnreadable(
  { log, meter }: { readonly log: Log; readonly meter: Meter<IntakeMetric> },
  error: unknown,
  where: { readonly accountId: string; readonly bookingId?: string },
): void {
  if (!(error instanceof CorruptItemError)) throw error;
  log.error('stored item left out', { ...where, ...errorFields(error) });
  meter.count(intakeMetrics.unreadableItems, 1);
}
