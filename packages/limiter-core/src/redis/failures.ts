import { StoreUnavailableError } from '../limiter/errors.ts';

/**
 * The errors that a server answers while it cannot serve, by their first word. They pass by themselves or by an operator's
 * hand; no change of the calling code mends them.
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

/** Too many connections, or too many requests of a day: an `ERR` that is no mistake. */
const exhausted = 'ERR max ';

/** The server's own words, after those that a client or (before Redis 7) the server puts before a script's error. */
function replyOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  const { message } = error;
  const reply = message.startsWith('Command ') ? (message.split(' failed: ')[1] ?? '') : message;
  if (!reply.startsWith('ERR Error running script')) return reply;
  const [, ...parts] = reply.split(': ');
  return parts.map((part) => part.replace(/^-/, '')).find((part) => codeIn(part) !== undefined) ?? reply;
}

/** An error's code: its first word, in capitals. */
function codeIn(reply: string): string | undefined {
  return /^[A-Z][A-Z0-9]+(?= |$)/.exec(reply)?.[0];
}

/** True where the server has not got the script: it was restarted, or its scripts were flushed. */
export function isUnknownScript(error: unknown): boolean {
  return codeIn(replyOf(error)) === 'NOSCRIPT';
}

/**
 * The error that a failed call is told as. What the server answers is thrown as it is: a wrong password, a missing
 * permission, a key of another type. What says that it cannot serve, and whatever came from elsewhere (the connection, the
 * client, a proxy), is a {@link StoreUnavailableError}.
 */
export function failureOf(error: unknown): unknown {
  const reply = replyOf(error);
  const code = codeIn(reply);
  const isUnavailable =
    code === undefined ? !isMistake(error) : unavailableCodes.has(code) || reply.startsWith(exhausted);
  if (!isUnavailable) return error;
  return new StoreUnavailableError(error instanceof Error ? error.message : String(error), { cause: error });
}

/** A mistake in code. A `fetch` that fails, or breaks off amid the answer, is a TypeError too, and tells its cause. */
function isMistake(error: unknown): boolean {
  if (error instanceof TypeError) return error.cause === undefined;
  return error instanceof ReferenceError || error instanceof RangeError || error instanceof SyntaxError;
}
