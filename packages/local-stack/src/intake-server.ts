import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { getRequestListener, RequestError } from '@hono/node-server';
import { type ProblemName, problemMediaType, problemOf, problems } from '@usher/contracts';
import { isLoopbackHost, listen, loopbackAddress, urlOf } from './endpoints/loopback.ts';
import { PortUnavailableError } from './errors.ts';

export interface IntakeServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Closes the port and lets running requests finish; those that take longer than the grace are cut. */
  close(): Promise<void>;
}

/** The most requests that are under way at a time; their bodies, of 4 MiB at most, must fit in memory together. */
export const maxRunningRequests = 64;

/**
 * Serves an app on 127.0.0.1. Only requests addressed to a loopback name are answered: a page that makes a browser
 * resolve its own name to this address must not reach an API that takes development tokens.
 *
 * @param options.port 0 for a free one
 * @param options.graceMs the longest that `close` waits for running requests. @default 10,000
 * @param options.requestTimeoutMs the longest that a request may take to arrive; no slow sender holds a
 * connection for good. A later one is answered 408 and its connection ends. @default 60,000
 * @throws PortUnavailableError
 */
export async function serveIntake(
  fetch: (request: Request) => Response | Promise<Response>,
  { port, graceMs = 10_000, requestTimeoutMs = 60_000 }: { port: number; graceMs?: number; requestTimeoutMs?: number },
): Promise<IntakeServer> {
  let closing = false;
  let running = 0;
  const errorHandler = (error: unknown): Response => {
    const { status, headers, body } = ownProblem(...(error instanceof RequestError ? unreadable : failed));
    return new Response(body, { status, headers });
  };
  const answer = getRequestListener(fetch, { errorHandler });
  const timeouts = {
    headersTimeout: requestTimeoutMs,
    requestTimeout: requestTimeoutMs,
    connectionsCheckingInterval: Math.ceil(requestTimeoutMs / 4),
  };
  const server = createServer(timeouts, (request, response) => {
    // A connection kept alive would keep the server open.
    if (closing) response.setHeader('Connection', 'close');
    response.on('finish', () => closing && request.socket.end());
    if (isLoopbackHost(request) && running < maxRunningRequests) {
      running += 1;
      response.on('close', () => {
        running -= 1;
      });
      return void answer(request, response);
    }
    // What is still being sent is thrown away: a client that is answered while it sends sees a broken connection.
    request.resume();
    if (isLoopbackHost(request)) {
      const { status, headers, body } = ownProblem(...busy);
      return void response.writeHead(status, { ...headers, 'Retry-After': '1' }).end(body);
    }
    response.writeHead(421, { 'Content-Type': 'text/plain' }).end('Only loopback names are answered.\n');
  });
  try {
    await listen(server, port);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    const problem = code === 'EADDRINUSE' ? 'is in use' : `cannot be used (${code})`;
    throw new PortUnavailableError(`Port ${port} of ${loopbackAddress} ${problem}; choose another.`, {
      cause: error,
    });
  }
  return {
    url: urlOf(server),
    close: async () => {
      closing = true;
      const cut = setTimeout(() => server.closeAllConnections(), graceMs);
      await new Promise((resolve) => server.close(resolve));
      clearTimeout(cut);
    },
  };
}

type OwnProblem = readonly [name: ProblemName, detail: string];
/** For a request that the app cannot be given: its path or its Host is none. */
const unreadable: OwnProblem = ['malformed-request', 'The path or the Host of the request cannot be read.'];
const failed: OwnProblem = ['internal', `${problems.internal.title}.`];
const busy: OwnProblem = ['unavailable', 'Too many requests are under way; send it again.'];

/** An answer that the server gives before a request gets to the app, in the form of the app's own. */
function ownProblem(name: ProblemName, detail: string) {
  const requestId = randomUUID();
  return {
    status: problems[name].status,
    headers: { 'Content-Type': problemMediaType, 'Cache-Control': 'no-store', 'X-Request-Id': requestId },
    body: JSON.stringify(problemOf(name, detail, { requestId })),
  };
}
