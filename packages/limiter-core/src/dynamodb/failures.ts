import { OverloadedError, StoreUnavailableError } from '../limiter/errors.ts';

/** A failed call's kind: a key asked for too often, a mistake of setting up, or a service that cannot be asked. */
export type Failure = 'throttled' | 'misconfigured' | 'unavailable';

const throttled = new Set([
  'ProvisionedThroughputExceededException',
  'RequestLimitExceeded',
  'ThrottlingException',
  'Throttling',
  'TooManyRequestsException',
]);

/** Answers with a status of 4xx that say nothing about the request. */
const passing = new Set([408, 425, 429]);

export function failureOf(error: unknown): Failure {
  if (!(error instanceof Error)) return 'unavailable';
  if (throttled.has(error.name)) return 'throttled';
  // The SDK finds neither credentials nor a region before it asks anybody.
  if (/^(Credentials|Token)ProviderError$/.test(error.name) || error.message === 'Region is missing') {
    return 'misconfigured';
  }
  const status = statusOf(error);
  return status !== undefined && status >= 400 && status < 500 && !passing.has(status)
    ? 'misconfigured'
    : 'unavailable';
}

/** The failure as the limiter takes it: what is set up wrongly stays the error that it was. */
export function storeErrorOf(error: unknown): unknown {
  switch (failureOf(error)) {
    case 'throttled':
      return new OverloadedError({ cause: error });
    case 'misconfigured':
      return error;
    case 'unavailable':
      return new StoreUnavailableError(error instanceof Error ? error.name : 'unknown failure', { cause: error });
  }
}

function statusOf(error: Error): number | undefined {
  const metadata: unknown = '$metadata' in error ? error.$metadata : undefined;
  if (typeof metadata !== 'object' || metadata === null || !('httpStatusCode' in metadata)) return undefined;
  return typeof metadata.httpStatusCode === 'number' ? metadata.httpStatusCode : undefined;
}
