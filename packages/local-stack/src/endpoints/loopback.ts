import type { IncomingMessage, Server } from 'node:http';

export const loopbackAddress = '127.0.0.1';

const loopbackHost = /^(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?$/i;

/**
 * True for a request that was addressed to this machine by a loopback name. A page in a browser can make any name of
 * its own resolve to 127.0.0.1 (DNS rebinding), but it cannot choose the Host header.
 */
export function isLoopbackHost(request: Pick<IncomingMessage, 'headers'>): boolean {
  return loopbackHost.test(request.headers.host ?? '');
}

/**
 * True for a request that a page in a browser makes: it carries `Origin`, or `Sec-Fetch-Site` (Fetch Metadata), or it is
 * a preflight. No SDK and no command line sends these, and no page may reach the endpoints that stand in for AWS.
 */
export function isFromBrowser(request: Pick<IncomingMessage, 'headers' | 'method'>): boolean {
  const { origin, 'sec-fetch-site': fetchSite } = request.headers;
  return origin !== undefined || fetchSite !== undefined || request.method === 'OPTIONS';
}

/**
 * An idle connection is the client's to close. Where the server does it first, after Node's 5 s, a client on a busy
 * machine may have begun to send its next request by then, which is lost.
 */
const idleConnectionMs = 600_000;

/** Binds to 127.0.0.1; rejects, for instance, when the port is taken. */
export function listen(server: Server, port: number): Promise<void> {
  server.keepAliveTimeout = idleConnectionMs;
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, loopbackAddress, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

export function urlOf(server: Server): string {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The endpoint does not listen on a TCP port.');
  return `http://${loopbackAddress}:${address.port}`;
}
