import { OverloadedError, StoreUnavailableError } from '../limiter/errors.ts';

/** A failed call's kind: a key asked for too often, a mistake of setting up, or a service that cannot be asked. */
export type Failure = 'throttled' | 'misconfigured' | 'unavailable';

const throttled = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'Throttling',
  'TooManyRequestsException',
  // Another Region, or a transaction, is writing the same item.
  'ReplicatedWriteConflictException',
  'TransactionConflictException',
]);

/** Answers with a status of 4xx that say nothing about the request. */
const passing = new Set([408, 425, 429]);

export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return 'unavailable';
  if (error instanceof OverloadedError || throttled.has(error.name)) return 'throttled';
  // The SDK finds neither credentials nor a region before it asks anybody.
  if (/^(Credentials|Token)ProviderError$/.test(error.name) || error.message === 'Region is missing') {
    return 'misconfigured';
  }
  const { httpStatusCode: status, clockSkewCorrected } = metadataOf(error);
  // The request was signed at a wrong clock's time. The SDK has the service's by now, and signs the next attempt at that.
  if (clockSkewCorrected === true) return 'unavailable';
  return typeof status === 'number' && status >= 400 && status < 500 && !passing.has(status)
    ? 'misconfigured'
    : 'unavailable';
}

/** The failure as the limiter takes it: what is set up wrongly stays the error that it was. */
export function storeErrorOf(error: unknown): unknown {
  switch (failureOf(error)) {
    case 'throttled':
      return error instanceof OverloadedError ? error : new OverloadedError({ cause: error });
    case 'misconfigured':
      return error;
    case 'unavailable':
      return new StoreUnavailableError(error instanceof Error ? error.name : 'unknown failure', { cause: error });
  }
}

/**
 * Ends a client's own repeats at an attempt that was throttled. Its pauses are longer than anybody waits: the key would look
 * unavailable, and be open to whoever asks often enough.
 */
export function endAtThrottling<A, R>(attempt: (args: A) => Promise<R>): (args: A) => Promise<R> {
  return async (args) => {
    try {
      return await attempt(args);
    } catch (error) {
      throw failureOf(error) === 'throttled' ? storeErrorOf(error) : error;
    }
  };
}

function metadataOf(error: Error): { readonly httpStatusCode?: unknown; readonly clockSkewCorrected?: unknown } {
  const metadata: unknown = '$metadata' in error ? error.$metadata : undefined;
  return typeof metadata === 'object' && metadata !== null ? metadata : {};
}
