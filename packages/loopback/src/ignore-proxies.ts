import { setGlobalProxyFromEnv } from 'node:http';

/**
 * Makes this process's `fetch` go to loopback addresses itself. With NODE_USE_ENV_PROXY=1 Node sends every request to
 * the proxy that HTTP_PROXY names, those to its own machine as well.
 */
export function ignoreProxies(): void {
  // Node changes nothing unless it is told some proxy; this one is never asked.
  setGlobalProxyFromEnv({ http_proxy: 'http://127.0.0.1:1', no_proxy: '*' });
}
