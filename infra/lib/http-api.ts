import { Validations } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  HttpApi,
  HttpMethod,
  HttpNoneAuthorizer,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Construct } from 'constructs';
import type { Deployment } from './config.ts';
import { throttle } from './numbers.ts';
import { createLogGroup, type ServiceFunction } from './service-function.ts';
import type { StageSettings } from './stage-settings.ts';

/** Paths that need no token: they tell what everybody may know, and read no data. */
export const publicPaths = ['/openapi.json', '/health', '/problems/{name}'] as const;
/** Paths that need a token of the issuer. */
export const authorizedPaths = ['/v1/bookings', '/v1/bookings/{bookingId}', '/v1/quota'] as const;

export interface UsherHttpApiProps {
  readonly settings: StageSettings;
  readonly deployment: Deployment;
  readonly intake: ServiceFunction;
}

/** The public front: routes, the authorizer, throttling and the access log. */
export class UsherHttpApi extends Construct {
  readonly api: HttpApi;
  readonly stage: HttpStage;

  constructor(scope: Construct, id: string, { settings, deployment, intake }: UsherHttpApiProps) {
    super(scope, id);
    this.api = new HttpApi(this, 'Api', {
      apiName: `usher-${settings.stage}`,
      description: 'Bulk bookings, decided per account within a daily quota',
      createDefaultStage: false,
    });
    this.stage = new HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      throttle,
      accessLogSettings: {
        destination: new LogGroupLogDestination(createLogGroup(this, 'AccessLog', settings)),
        format: accessLogFormat(deployment.accountClaim),
      },
    });
    const jwt = new HttpJwtAuthorizer('Jwt', deployment.jwtIssuer, { jwtAudience: [...deployment.jwtAudience] });
    const integration = new HttpLambdaIntegration('Intake', intake.function);
    // Every method goes to intake, which answers 405 with Allow where a path does not know it.
    const route = (path: string): HttpRouteKey => HttpRouteKey.with(path, HttpMethod.ANY);
    for (const path of authorizedPaths) {
      new HttpRoute(this, path, { httpApi: this.api, routeKey: route(path), integration, authorizer: jwt });
    }
    for (const path of publicPaths) {
      const authorizer = new HttpNoneAuthorizer();
      const open = new HttpRoute(this, path, { httpApi: this.api, routeKey: route(path), integration, authorizer });
      Validations.of(open).acknowledge({
        id: 'AwsSolutions-APIG4',
        reason:
          'Public by design: a constant document (the API description, or that the service answers) which reads no ' +
          'data and takes no input. All paths under /v1 need a token.',
      });
    }
  }
}

/** One JSON line per request: ids and figures, no header, no body, no token. */
function accessLogFormat(accountClaim: string): AccessLogFormat {
  return AccessLogFormat.custom(
    JSON.stringify({
      requestId: '$context.requestId',
      at: '$context.requestTime',
      ip: '$context.identity.sourceIp',
      account: `$context.authorizer.claims.${accountClaim}`,
      route: '$context.routeKey',
      status: '$context.status',
      bytes: '$context.responseLength',
      latencyMs: '$context.responseLatency',
      integrationStatus: '$context.integrationStatus',
      integrationError: '$context.integrationErrorMessage',
      authorizerError: '$context.authorizer.error',
      error: '$context.error.message',
    }),
  );
}
