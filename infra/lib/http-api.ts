import { Duration, Validations } from 'aws-cdk-lib';
import { AccessLogFormat } from 'aws-cdk-lib/aws-apigateway';
import {
  CfnStage,
  HttpApi,
  HttpMethod,
  HttpNoneAuthorizer,
  HttpRoute,
  HttpRouteKey,
  HttpStage,
  LogGroupLogDestination,
  type ThrottleSettings,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import type { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { FilterPattern, type LogGroup } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import type { Deployment } from './config.ts';
import { throttle } from './numbers.ts';
import { createLogGroup, type ServiceFunction } from './service-function.ts';
import type { StageSettings } from './stage-settings.ts';

/** Paths that need no token: their answers are public, and read no data. */
export const publicPaths = ['/openapi.json', '/health', '/problems/{name}'] as const;
/** Paths that need a token of the issuer. */
export const authorizedPaths = ['/v1/bookings', '/v1/bookings/{bookingId}', '/v1/quota'] as const;
/** The one path where a method has a throttle of its own. */
const submissionPath = authorizedPaths[0];

export interface UsherHttpApiProps {
  readonly settings: StageSettings;
  readonly deployment: Deployment;
  readonly intake: ServiceFunction;
}

/** The public front: routes, the authorizer, throttling and the access log. */
export class UsherHttpApi extends Construct {
  readonly api: HttpApi;
  /** Requests that anybody refused with 429: API Gateway's throttles, or intake's limiters. */
  readonly throttledRequests: Metric;

  constructor(scope: Construct, id: string, { settings, deployment, intake }: UsherHttpApiProps) {
    super(scope, id);
    this.api = new HttpApi(this, 'Api', {
      apiName: `usher-${settings.stage}`,
      description: 'Bulk bookings, decided per account within a daily quota',
      createDefaultStage: false,
    });
    const accessLog = createLogGroup(this, 'AccessLog', settings);
    this.throttledRequests = countThrottled(accessLog, settings);
    const stage = new HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      throttle: throttle.reads,
      accessLogSettings: {
        destination: new LogGroupLogDestination(accessLog),
        format: accessLogFormat(deployment.accountClaim),
      },
    });
    const jwt = new HttpJwtAuthorizer('Jwt', deployment.jwtIssuer, { jwtAudience: [...deployment.jwtAudience] });
    const { authorizationScopes = [] } = deployment;
    const authorized = {
      httpApi: this.api,
      integration: new HttpLambdaIntegration('Intake', intake.function),
      authorizer: jwt,
      ...(authorizationScopes.length === 0 ? {} : { authorizationScopes: [...authorizationScopes] }),
    };
    // Every method goes to intake, which answers 405 with Allow where a path does not know it.
    for (const path of authorizedPaths) {
      new HttpRoute(this, path, { ...authorized, routeKey: HttpRouteKey.with(path, HttpMethod.ANY) });
    }
    const submit = HttpRouteKey.with(submissionPath, HttpMethod.POST);
    const routes = [new HttpRoute(this, submit.key, { ...authorized, routeKey: submit })];
    const { httpApi, integration } = authorized;
    for (const path of publicPaths) {
      const routeKey = HttpRouteKey.with(path, HttpMethod.ANY);
      const open = new HttpRoute(this, path, { httpApi, integration, routeKey, authorizer: new HttpNoneAuthorizer() });
      routes.push(open);
      Validations.of(open).acknowledge({
        id: 'AwsSolutions-APIG4',
        reason:
          'Public by design: a constant document (the API description, or that the service answers) which reads no ' +
          'data and takes no input. All paths under /v1 need a token.',
      });
    }
    throttleApart(stage, {
      [submit.key]: throttle.submissions,
      ...Object.fromEntries(publicPaths.map((path) => [`ANY ${path}`, throttle.open])),
    });
    // The settings of a route are refused where the route does not exist yet.
    stage.node.addDependency(...routes);
  }
}

/** Gives routes throttles other than the stage's; CDK's own construct has no property for it. */
function throttleApart(stage: HttpStage, ofRoutes: Readonly<Record<string, ThrottleSettings>>): void {
  const { defaultChild } = stage.node;
  if (!(defaultChild instanceof CfnStage)) throw new Error('The stage of the HTTP API has no CfnStage');
  defaultChild.routeSettings = Object.fromEntries(
    Object.entries(ofRoutes).map(([routeKey, { rateLimit, burstLimit }]) => [
      routeKey,
      { ThrottlingRateLimit: rateLimit, ThrottlingBurstLimit: burstLimit },
    ]),
  );
}

/** A count of one status, from the access log: API Gateway counts all 4xx together. */
function countThrottled(accessLog: LogGroup, { metricsNamespace }: StageSettings): Metric {
  const filter = accessLog.addMetricFilter('Throttled', {
    filterPattern: FilterPattern.stringValue('$.status', '=', '429'),
    metricNamespace: metricsNamespace,
    metricName: 'RequestsThrottled',
    metricValue: '1',
  });
  return filter.metric({ statistic: 'Sum', period: Duration.minutes(5) });
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
