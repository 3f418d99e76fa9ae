import { problems } from '@usher/contracts';
import type { Log, Meter } from '@usher/service';
import type { Hono } from 'hono';
import { requestOf } from './lambda-request.ts';
import { type IntakeMetric, intakeMetrics } from './metrics.ts';
import { problemResponse, refusal } from './refusal.ts';
import type { IntakeEnv } from './routing.ts';

/** A Lambda's answer to an HTTP API (payload format 2.0). */
export interface LambdaAnswer {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly isBase64Encoded: false;
}

export interface LambdaHandlerOptions {
  readonly app: Hono<IntakeEnv>;
  readonly log: Log;
  readonly meter: Meter<IntakeMetric>;
}

/**
 * Makes the function that answers events of an HTTP API.
 *
 * An event of another kind is a fault of the deployment: it is logged with what was expected and answered 500.
 */
export function lambdaHandler({ app, log, meter }: LambdaHandlerOptions) {
  return async (event: unknown, { awsRequestId }: { readonly awsRequestId: string }): Promise<LambdaAnswer> => {
    const read = requestOf(event);
    if (read.kind === 'request') {
      const { request, requestId = awsRequestId } = read;
      return answerOf(await app.fetch(request, { event, requestId }));
    }
    log.error('event is not a request of an HTTP API', { requestId: awsRequestId, problem: read.problem });
    meter.count(intakeMetrics.unexpectedErrors, 1);
    return answerOf(problemResponse(refusal('internal', `${problems.internal.title}.`), awsRequestId));
  };
}

/** An answer as an HTTP API takes it. Every body of ours is text. */
async function answerOf(response: Response): Promise<LambdaAnswer> {
  return {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
    isBase64Encoded: false,
  };
}
