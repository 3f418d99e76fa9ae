// Events as AWS documents them, with every part that an adapter could take for the caller.

/** API Gateway, HTTP API, payload format 2.0. `claims` are those that its JWT authorizer has verified. */
export function httpApiEvent({
  sourceIp = '203.0.113.7',
  headers = {},
  claims,
}: {
  readonly sourceIp?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly claims?: Readonly<Record<string, unknown>>;
} = {}) {
  return {
    version: '2.0',
    routeKey: 'GET /things',
    rawPath: '/things',
    rawQueryString: '',
    headers: {
      accept: '*/*',
      host: 'id.execute-api.eu-central-1.amazonaws.com',
      'x-forwarded-for': sourceIp,
      'x-forwarded-port': '443',
      'x-forwarded-proto': 'https',
      ...headers,
    },
    requestContext: {
      accountId: '123456789012',
      apiId: 'id',
      ...(claims && { authorizer: { jwt: { claims, scopes: null } } }),
      domainName: 'id.execute-api.eu-central-1.amazonaws.com',
      domainPrefix: 'id',
      http: { method: 'GET', path: '/things', protocol: 'HTTP/1.1', sourceIp, userAgent: 'agent' },
      requestId: 'id',
      routeKey: 'GET /things',
      stage: '$default',
      time: '10/Mar/2026:12:00:00 +0000',
      timeEpoch: 1_773_144_000_000,
    },
    isBase64Encoded: false,
  };
}

/** API Gateway, REST API. `claims` are those that its Cognito authorizer has verified. */
export function restApiEvent({
  sourceIp = '203.0.113.7',
  headers = {},
  claims,
}: {
  readonly sourceIp?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly claims?: Readonly<Record<string, unknown>>;
} = {}) {
  const all: Record<string, string> = { Accept: '*/*', 'X-Forwarded-For': `${sourceIp}, 198.51.100.44`, ...headers };
  return {
    resource: '/things',
    path: '/things',
    httpMethod: 'GET',
    headers: all,
    multiValueHeaders: Object.fromEntries(Object.entries(all).map(([name, value]) => [name, [value]])),
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    pathParameters: null,
    stageVariables: null,
    requestContext: {
      accountId: '123456789012',
      apiId: 'id',
      ...(claims && { authorizer: { claims } }),
      domainName: 'id.execute-api.eu-central-1.amazonaws.com',
      httpMethod: 'GET',
      identity: {
        accessKey: null,
        accountId: null,
        caller: null,
        cognitoAuthenticationProvider: null,
        cognitoAuthenticationType: null,
        cognitoIdentityId: null,
        cognitoIdentityPoolId: null,
        principalOrgId: null,
        sourceIp,
        user: null,
        userAgent: 'agent',
        userArn: null,
      },
      path: '/prod/things',
      protocol: 'HTTP/1.1',
      requestId: 'id',
      requestTimeEpoch: 1_773_144_000_000,
      resourceId: 'id',
      resourcePath: '/things',
      stage: 'prod',
    },
    body: null,
    isBase64Encoded: false,
  };
}

/** Application Load Balancer: headers as single values, or as lists where the target group says so. */
export function albEvent({
  forwardedFor = ['203.0.113.7'],
  isMultiValue = false,
}: {
  readonly forwardedFor?: readonly string[];
  readonly isMultiValue?: boolean;
} = {}) {
  const headers: Record<string, string[]> = {
    accept: ['*/*'],
    host: ['lb-1.eu-central-1.elb.amazonaws.com'],
    'x-forwarded-for': [...forwardedFor],
    'x-forwarded-port': ['80'],
  };
  const joined = Object.fromEntries(Object.entries(headers).map(([name, values]) => [name, values.join(', ')]));
  return {
    requestContext: {
      elb: { targetGroupArn: 'arn:aws:elasticloadbalancing:eu-central-1:123456789012:targetgroup/lambda/id' },
    },
    httpMethod: 'GET',
    path: '/things',
    ...(isMultiValue
      ? { multiValueQueryStringParameters: {}, multiValueHeaders: headers }
      : { queryStringParameters: {}, headers: joined }),
    body: '',
    isBase64Encoded: false,
  };
}
