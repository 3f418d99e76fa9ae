import { UsherError } from '../errors.ts';

/** The store could not be asked, or did not answer in time. The fail policy decides. */
export class StoreUnavailableError extends UsherError {
  override readonly name = 'StoreUnavailableError';
  constructor(problem: string, options?: ErrorOptions) {
    super(`The store of limits is unavailable: ${problem}`, options);
  }
}

/**
 * The store throttles this one key. The check is refused, whatever the fail policy: else whoever asks often enough would
 * open the limiter for himself.
 */
export class OverloadedError extends UsherError {
  override readonly name = 'OverloadedError';
  constructor(options?: ErrorOptions) {
    super('The store throttles the key', options);
  }
}
