import { UsherError } from '@usher/limiter-core';

/** An error as every log of Usher tells it. */
export interface LoggedError {
  readonly name: string;
  /** Left out where it may repeat what partners sent: a parser's message quotes what it could not parse. */
  readonly message?: string;
  /** The frames alone; the text above them is the message once more. */
  readonly stack?: string;
  readonly cause?: LoggedError;
}

/** The fields of an entry of a log: ids and counts, never what partners sent. */
export interface LogFields {
  readonly error?: LoggedError;
  readonly [field: string]: unknown;
}

/** The log of a service. Powertools' Logger is one. */
export interface Log {
  info(message: string, fields: LogFields): void;
  warn(message: string, fields: LogFields): void;
  error(message: string, fields: LogFields): void;
}

const builtIn = [EvalError, RangeError, ReferenceError, SyntaxError, TypeError, URIError, AggregateError];
const maxCauses = 8;

/** The field of a log entry that tells of an error: the same in every service, so that one search finds them all. */
export function errorFields(error: unknown): { readonly error: LoggedError } {
  return { error: loggedError(error, maxCauses) };
}

function loggedError(error: unknown, causesLeft: number): LoggedError {
  if (!(error instanceof Error)) return { name: error === null ? 'null' : typeof error };
  const stack = framesOf(error);
  return {
    name: error.name,
    ...(isTold(error) ? { message: withoutValues(error.message) } : {}),
    ...(stack === undefined ? {} : { stack }),
    ...(error.cause === undefined || causesLeft === 0 ? {} : { cause: loggedError(error.cause, causesLeft - 1) }),
  };
}

/** The stack below the message, which may itself have lines that look like frames. */
function framesOf({ stack = '', message }: Error): string | undefined {
  const below = message === '' ? stack : stack.slice(stack.indexOf(message) + message.length);
  const frames = below.search(/^ {4}at /m);
  return stack.includes(message) && frames >= 0 ? below.slice(frames) : undefined;
}

/**
 * A message without what it quotes of a request. A service's own validation tells the value that broke a rule, which may
 * be a whole batch with its items or bodies: `Value '{table=[…]}' at 'requestItems' failed to satisfy constraint: …`.
 */
function withoutValues(message: string): string {
  const from = message.indexOf("Value '");
  const to = message.lastIndexOf("' at '");
  return from < 0 || to < from ? message : `${message.slice(0, from)}Value '…${message.slice(to)}`;
}

/** True of our own errors, of AWS's answers and of the network's. Only a validation's answer quotes what was sent. */
function isTold(error: Error): boolean {
  if (error instanceof UsherError) return true;
  return !builtIn.some((kind) => error instanceof kind) && ('$metadata' in error || 'syscall' in error);
}
