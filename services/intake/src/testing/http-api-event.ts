import type { LambdaContext, LambdaEvent } from 'hono/aws-lambda';

/** An event of an HTTP API (payload format 2.0) as its JWT authorizer leaves it. */
export function httpApiEvent(request: {
  method: string;
  path: string;
  claims?: Record<string, string>;
  headers?: Record<string, string>;
  body?: string;
  isBase64Encoded?: boolean;
}): LambdaEvent {
  const { method, path, claims, headers = {}, body = null, isBase64Encoded = false } = request;
  return {
    version: '2.0',
    routeKey: '$default',
    rawPath: path,
    rawQueryString: '',
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

export const lambdaContext: LambdaContext = {
  awsRequestId: 'request-1',
  callbackWaitsForEmptyEventLoop: false,
  functionName: 'intake',
  functionVersion: '1',
  invokedFunctionArn: 'arn:aws:lambda:eu-central-1:1:function:intake',
  memoryLimitInMB: '512',
  logGroupName: 'intake',
  logStreamName: 'intake',
  getRemainingTimeInMillis: () => 25_000,
};
