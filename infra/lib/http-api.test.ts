import { openApiDocument } from '@usher/contracts';
import { type } from 'arktype';
import { expect, test } from 'vitest';
import { throttle } from './numbers.ts';
import { nameOf, prod, propertiesOf, resourcesOf } from './testing/template.ts';

const routes = (): [unknown, unknown, unknown, unknown][] =>
  [...resourcesOf(prod(), 'AWS::ApiGatewayV2::Route').keys()].map((name) => {
    const route = propertiesOf(prod(), 'AWS::ApiGatewayV2::Route', name);
    return [route.RouteKey, route.AuthorizationType, route.AuthorizerId, route.AuthorizationScopes];
  });

test('everything under /v1 needs a token with a scope that was asked for; the description and health do not', () => {
  expect(routes()).toEqual([
    ['ANY /v1/bookings', 'JWT', 'HttpApiJwt', ['bookings']],
    ['ANY /v1/bookings/{bookingId}', 'JWT', 'HttpApiJwt', ['bookings']],
    ['ANY /v1/quota', 'JWT', 'HttpApiJwt', ['bookings']],
    ['POST /v1/bookings', 'JWT', 'HttpApiJwt', ['bookings']],
    ['ANY /openapi.json', 'NONE', undefined, undefined],
    ['ANY /health', 'NONE', undefined, undefined],
    ['ANY /problems/{name}', 'NONE', undefined, undefined],
  ]);
});

test('the routes are the paths of the API description', () => {
  const { paths } = type({ paths: type({ '[string]': 'unknown' }) }).assert(openApiDocument);
  const described = [...Object.keys(paths).map((path) => `ANY ${path}`), 'POST /v1/bookings'];
  expect(new Set(routes().map(([key]) => key))).toEqual(new Set(described));
});

test('tokens are those of the configured issuer, for the configured audience', () => {
  expect(propertiesOf(prod(), 'AWS::ApiGatewayV2::Authorizer', 'HttpApiJwt')).toMatchObject({
    AuthorizerType: 'JWT',
    IdentitySource: ['$request.header.Authorization'],
    JwtConfiguration: { Issuer: 'https://issuer.example.com/', Audience: ['usher'] },
  });
});

test('reads, submissions and what needs no token are throttled apart', () => {
  const rates = ({ rateLimit, burstLimit }: { rateLimit: number; burstLimit: number }) => ({
    ThrottlingRateLimit: rateLimit,
    ThrottlingBurstLimit: burstLimit,
  });
  const stage = propertiesOf(prod(), 'AWS::ApiGatewayV2::Stage', 'HttpStage');
  expect(stage).toMatchObject({ DefaultRouteSettings: rates(throttle.reads) });
  expect(stage.RouteSettings).toEqual({
    'POST /v1/bookings': rates(throttle.submissions),
    'ANY /health': rates(throttle.open),
    'ANY /openapi.json': rates(throttle.open),
    'ANY /problems/{name}': rates(throttle.open),
  });
});

test('routes with a throttle of their own exist before the stage that names them', () => {
  const dependencies = resourcesOf(prod(), 'AWS::ApiGatewayV2::Stage').get('HttpStage')?.DependsOn ?? [];
  const throttled = Object.keys(propertiesOf(prod(), 'AWS::ApiGatewayV2::Stage', 'HttpStage').RouteSettings ?? {});
  const names = [...resourcesOf(prod(), 'AWS::ApiGatewayV2::Route').keys()].filter((name) =>
    throttled.includes(String(propertiesOf(prod(), 'AWS::ApiGatewayV2::Route', name).RouteKey)),
  );
  expect(names).toHaveLength(throttled.length);
  expect(dependencies.map(nameOf)).toEqual(expect.arrayContaining(names));
});

test('429s are counted in the access log, by the name of the field that it writes', () => {
  const [name = ''] = resourcesOf(prod(), 'AWS::Logs::MetricFilter').keys();
  expect(propertiesOf(prod(), 'AWS::Logs::MetricFilter', name)).toMatchObject({
    LogGroupName: 'HttpAccessLog',
    FilterPattern: '{ $.status = "429" }',
    MetricTransformations: [{ MetricName: 'RequestsThrottled', MetricNamespace: 'Usher/prod', MetricValue: '1' }],
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
