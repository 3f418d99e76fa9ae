import type { IncomingMessage } from 'node:http';

/** The client went away before its whole request had arrived; nobody is left to answer. */
export class RequestAborted extends Error {
  override readonly name = 'RequestAborted';
}

/** The request is longer than an endpoint reads; it is answered with 413. */
export class RequestTooLong extends Error {
  override readonly name = 'RequestTooLong';
}

/**
 * The request's bytes. What passes the limit is still read, and thrown away: a client that is answered while it is
 * sending sees a broken connection instead of the answer.
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  try {
    for await (const part of request) {
      if (!Buffer.isBuffer(part)) continue;
      length += part.length;
      if (length <= maxBytes) parts.push(part);
    }
  } catch (error) {
    throw new RequestAborted('The client closed the connection before its request was complete.', { cause: error });
  }
  if (length > maxBytes) throw new RequestTooLong(`The request has ${length} bytes; at most ${maxBytes} are read.`);
  return Buffer.concat(parts);
}

/** The JSON value of a body in strict UTF-8, or undefined where it is none. */
export function parseJson(body: Buffer): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) };
  } catch {
    return undefined;
  }
}
