import { once } from 'node:events';
import { createAdaptorServer } from '@hono/node-server';
import { isLoopbackHost, LOOPBACK } from './endpoints/loopback.ts';

/** The port asked for is taken, or may not be listened on. */
export class PortUnavailableError extends Error {
  override readonly name = 'PortUnavailableError';
}

export interface IntakeServer {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  /** Lets running requests finish, then closes the port. */
  close(): Promise<void>;
}

/**
 * Serves an app on 127.0.0.1, for requests addressed to this machine by a loopback name and no others: whoever makes a
 * browser resolve a name of theirs to this address must not reach an API that takes development tokens.
 *
 * @param port 0 for a free one
 * @throws PortUnavailableError
 */
export async function serveIntake(
  fetch: (request: Request) => Response | Promise<Response>,
  port: number,
): Promise<IntakeServer> {
  const server = createAdaptorServer({
    fetch: (request: Request) =>
      isLoopbackHost({ headers: { host: request.headers.get('host') ?? undefined } })
        ? fetch(request)
        : new Response('Only loopback names are answered.', { status: 421 }),
  });
  server.listen(port, LOOPBACK);
  try {
    await once(server, 'listening');
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    throw new PortUnavailableError(`Port ${port} of ${LOOPBACK} cannot be listened on (${code}); choose another.`);
  }
  const address = server.address();
  if (address === null || typeof address === 'string') throw new PortUnavailableError('The server has no port.');
  return {
    url: `http://${LOOPBACK}:${address.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        if ('closeIdleConnections' in server) server.closeIdleConnections();
      }),
  };
}
