import type { IncomingMessage } from 'node:http';
import type { BodyBudget } from './body-budget.ts';

/** The client went away before its whole request had arrived; nobody is left to answer. */
export class RequestAbortedError extends Error {
  override readonly name = 'RequestAbortedError';
}

/** The request is longer than an endpoint reads; it is answered with 413. */
export class RequestTooLongError extends Error {
  override readonly name = 'RequestTooLongError';
}

/** Too many bytes of other requests are under way; this one is answered with 503 and may come again. */
export class TooManyBodiesError extends Error {
  override readonly name = 'TooManyBodiesError';
}

/** A body, and the call that gives its share of the budget back once nothing needs it any more. */
export interface HeldBody {
  readonly bytes: Buffer;
  readonly release: () => void;
}

/**
 * Reads a request's bytes. What passes the limit, or finds no room, is still read and thrown away: a client that is
 * answered while it is sending sees a broken connection instead of the answer.
 *
 * @throws RequestAbortedError, RequestTooLongError, TooManyBodiesError
 */
export async function readBody(
  request: IncomingMessage,
  { maxBytes, budget }: { maxBytes: number; budget: BodyBudget },
): Promise<HeldBody> {
  const announced = Number(request.headers['content-length'] ?? maxBytes);
  const release = announced > maxBytes ? undefined : budget.take(announced);
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of request) {
      if (!Buffer.isBuffer(part)) continue;
      length += part.length;
      if (release !== undefined && length <= maxBytes) parts.push(part);
    }
  } catch (error) {
    release?.();
    throw new RequestAbortedError('The client closed the connection before its request was complete.', {
      cause: error,
    });
  }
  if (length > maxBytes) {
    release?.();
    throw new RequestTooLongError(`The request has ${length} bytes; at most ${maxBytes} are read.`);
  }
  if (release === undefined) throw new TooManyBodiesError('Too many requests are under way; send this one again.');
  return { bytes: Buffer.concat(parts), release };
}

/** The JSON value of a body in strict UTF-8, or undefined where it is none. */
export function parseJson(body: Buffer): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) };
  } catch {
    return undefined;
  }
}
