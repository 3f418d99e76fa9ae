import { openApiDocument } from '@usher/contracts';
import { type } from 'arktype';
import { expect, test } from 'vitest';
import { prod, propertiesOf, resourcesOf } from './testing/template.ts';

const routes = (): [unknown, unknown, unknown][] =>
  [...resourcesOf(prod(), 'AWS::ApiGatewayV2::Route').keys()].map((name) => {
    const route = propertiesOf(prod(), 'AWS::ApiGatewayV2::Route', name);
    return [route.RouteKey, route.AuthorizationType, route.AuthorizerId];
  });

test('everything under /v1 needs a token; the description and health do not', () => {
  expect(routes()).toEqual([
    ['ANY /v1/bookings', 'JWT', 'HttpApiJwt'],
    ['ANY /v1/bookings/{bookingId}', 'JWT', 'HttpApiJwt'],
    ['ANY /v1/quota', 'JWT', 'HttpApiJwt'],
    ['ANY /openapi.json', 'NONE', undefined],
    ['ANY /health', 'NONE', undefined],
    ['ANY /problems/{name}', 'NONE', undefined],
  ]);
});

test('the routes are the paths of the API description', () => {
  const { paths } = type({ paths: type({ '[string]': 'unknown' }) }).assert(openApiDocument);
  expect(
    routes()
      .map(([key]) => key)
      .toSorted(),
  ).toEqual(
    Object.keys(paths)
      .map((path) => `ANY ${path}`)
      .toSorted(),
  );
});

test('tokens are those of the configured issuer, for the configured audience', () => {
  expect(propertiesOf(prod(), 'AWS::ApiGatewayV2::Authorizer', 'HttpApiJwt')).toMatchObject({
    AuthorizerType: 'JWT',
    IdentitySource: ['$request.header.Authorization'],
    JwtConfiguration: { Issuer: 'https://issuer.example.com/', Audience: ['usher'] },
  });
});

test('requests are throttled', () => {
  expect(propertiesOf(prod(), 'AWS::ApiGatewayV2::Stage', 'HttpStage')).toMatchObject({
    DefaultRouteSettings: { ThrottlingRateLimit: 200, ThrottlingBurstLimit: 400 },
  });
});

test('the access log tells account and status, and never a header or a body', () => {
  const { AccessLogSettings } = propertiesOf(prod(), 'AWS::ApiGatewayV2::Stage', 'HttpStage');
  const { DestinationArn, Format } = type({ DestinationArn: 'string', Format: 'string' }).assert(AccessLogSettings);
  expect(DestinationArn).toBe('HttpAccessLog');
  expect(JSON.parse(Format)).toMatchObject({
    account: '$context.authorizer.claims.partner_id',
    status: '$context.status',
    requestId: '$context.requestId',
  });
  expect(Format).not.toMatch(/header|body|token/i);
});

test('API Gateway may invoke intake, by each route of this API, and nobody else may', () => {
  const permissions = resourcesOf(prod(), 'AWS::Lambda::Permission');
  const granted = [...permissions.keys()].map((name) => propertiesOf(prod(), 'AWS::Lambda::Permission', name));
  expect(granted).toHaveLength(routes().length);
  for (const permission of granted) {
    expect(permission).toMatchObject({
      Action: 'lambda:InvokeFunction',
      FunctionName: 'IntakeFunction',
      Principal: 'apigateway.amazonaws.com',
      SourceArn: expect.stringMatching(/:HttpApi\/\*\/\*\/(v1|openapi|health|problems)/),
    });
  }
});
