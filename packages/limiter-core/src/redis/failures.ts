import { StoreUnavailableError } from '../limiter/errors.ts';

/**
 * What a server answers while it cannot serve, by the first word of its error. It passes by itself, or by an operator's
 * hand, and no change of the calling code mends it.
 */
const unavailableCodes: ReadonlySet<string> = new Set([
  'BUSY',
  'CLUSTERDOWN',
  'LOADING',
  'MASTERDOWN',
  'MISCONF',
  'NOREPLICAS',
  'OOM',
  'READONLY',
  'TRYAGAIN',
]);

/** An error's code, after what a client or (before Redis 7) the server itself puts before a script's own error. */
const codeForm =
  /^(?:Command.*? failed: )?(?:ERR Error running script.*?: -?(?=[A-Z]{3,} ))?([A-Z][A-Z0-9]{2,})(?: |$)/s;

/** Too many connections, or too many requests of a day: an `ERR` that is no mistake. */
const exhausted = /^(?:Command.*? failed: )?ERR max /s;

function codeOf(error: unknown): string | undefined {
  return error instanceof Error ? codeForm.exec(error.message)?.[1] : undefined;
}

/** True where the server has not got the script: it was restarted, or its scripts were flushed. */
export function isUnknownScript(error: unknown): boolean {
  return codeOf(error) === 'NOSCRIPT';
}

/**
 * The error that a failed call is told as. What the server answers is thrown as it is: a wrong password, a missing
 * permission, a key of another type. What says that it cannot serve, and whatever came from elsewhere (the connection, the
 * client, a proxy), is a {@link StoreUnavailableError}.
 */
export function failureOf(error: unknown): unknown {
  const code = codeOf(error);
  if (code === undefined ? isMistake(error) : !unavailableCodes.has(code) && !isExhausted(error)) return error;
  const problem = error instanceof Error ? error.message : String(error);
  return new StoreUnavailableError(problem, { cause: error });
}

function isExhausted(error: unknown): boolean {
  return error instanceof Error && exhausted.test(error.message);
}

/** A mistake in code; a failed `fetch` is a TypeError, too. */
function isMistake(error: unknown): boolean {
  if (error instanceof TypeError) return error.message !== 'fetch failed';
  return error instanceof ReferenceError || error instanceof RangeError || error instanceof SyntaxError;
}
