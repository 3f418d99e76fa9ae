import { onTestFinished, vi } from 'vitest';
import { httpApiEvent, lambdaContext } from '../../services/intake/src/testing/http-api-event.ts';
import type { World } from './world.ts';

export type LambdaRequest = Parameters<typeof httpApiEvent>[0];

/** The Lambda's answer to API Gateway. */
export interface LambdaAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Loads intake's Lambda anew for requests to it; see {@link loadHandler}. */
export async function loadLambda(
  world: World,
  environment: Readonly<Record<string, string>> = {},
): Promise<(request: LambdaRequest) => Promise<LambdaAnswer>> {
  const invoke = await loadHandler(world, environment);
  return (request) => invoke(httpApiEvent(request));
}

/** Loads intake's Lambda anew, with a world's endpoints in its environment, as Lambda does at a cold start. */
export async function loadHandler(
  { endpoints, queues }: World,
  environment: Readonly<Record<string, string>> = {},
): Promise<(event: unknown) => Promise<LambdaAnswer>> {
  const all = {
    USHER_TABLE: 'usher',
    USHER_BOOKINGS_QUEUE_URL: queues.bookings.url,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_ENDPOINT_URL_DYNAMODB: endpoints.dynamoDbUrl,
    AWS_ENDPOINT_URL_SQS: endpoints.sqsUrl,
    POWERTOOLS_METRICS_DISABLED: 'true',
    POWERTOOLS_LOG_LEVEL: 'SILENT',
    ...environment,
  };
  // The SDK looks at it again at its first call.
  for (const [name, value] of Object.entries(all)) vi.stubEnv(name, value);
  onTestFinished(() => void vi.unstubAllEnvs());
  vi.resetModules();
  const { handler } = await import('../../services/intake/src/handler.ts');
  return async (event) => {
    const { statusCode, headers, body } = await handler(event, lambdaContext);
    return { status: statusCode, headers, body };
  };
}
