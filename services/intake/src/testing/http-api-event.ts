/** An event of an HTTP API (payload format 2.0) as its JWT authorizer leaves it. */
export function httpApiEvent(request: {
  method: string;
  path: string;
  query?: string;
  claims?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string;
  isBase64Encoded?: boolean;
}): object {
  const { method, path, query = '', claims, headers = {}, body = null, isBase64Encoded = false } = request;
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: query,
    headers: { host: 'api.example', ...headers },
    body,
    isBase64Encoded,
    requestContext: {
      accountId: '1',
      apiId: 'api',
      authentication: null,
      authorizer: claims === undefined ? {} : { jwt: { claims, scopes: null } },
      domainName: 'api.example',
      domainPrefix: 'api',
      http: { method, path, protocol: 'HTTP/1.1', sourceIp: '127.0.0.1', userAgent: 'test' },
      requestId: 'request-1',
      routeKey: '$default',
      stage: '$default',
      time: '29/Nov/2026:12:00:00 +0000',
      timeEpoch: 0,
    },
  };
}

/** The part of a Lambda's context that intake reads. */
export const lambdaContext = { awsRequestId: 'invocation-1' };
