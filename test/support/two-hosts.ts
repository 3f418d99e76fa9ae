import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { text } from 'node:stream/consumers';
import { Problem } from '@usher/contracts';
import { virtualClock } from '@usher/limiter-core';
import { devTokenCaller, serveIntake } from '@usher/local-stack/testing';
import { onTestFinished } from 'vitest';
import { lambdaHandler } from '../../services/intake/src/lambda-handler.ts';
import { httpApiEvent } from '../../services/intake/src/testing/http-api-event.ts';
import { cheapClients, type Written } from './cheap-table.ts';
import { type RecordedIntake, recordedIntake } from './recorded-intake.ts';
import { noon } from './world.ts';

/** A request as its sender writes it: headers in order, any of them more than once. */
export interface WireRequest {
  readonly method: string;
  /** Path and query as they stand in the request's first line. */
  readonly target: string;
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: string;
}

/** A host's answer; of a problem, the last segment of its type. */
export interface HostAnswer {
  readonly status: number;
  readonly problem: string | undefined;
  readonly requestId: unknown;
  readonly text: string;
}

/** One intake behind both hosts: Node's server on loopback, and the Lambda's handler behind an HTTP API. */
export interface TwoHosts extends Pick<RecordedIntake, 'logged' | 'counts'> {
  readonly url: string;
  readonly written: readonly Written[];
  /** Resolves when the next answer has been logged. */
  nextAnswer(): Promise<void>;
  local(request: WireRequest): Promise<HostAnswer>;
  /** @param encoded whether API Gateway hands the body on in base64, as it does for what is not text. */
  lambda(request: WireRequest, options?: { encoded?: boolean }): Promise<HostAnswer>;
  /** Hands the Lambda an event as it is. */
  invoke(event: unknown): Promise<HostAnswer>;
}

export const invocationId = 'invocation-1';

export async function twoHosts(): Promise<TwoHosts> {
  const clients = cheapClients();
  let answered = Promise.withResolvers<void>();
  const { app, logged, counts, log, meter } = recordedIntake({
    ...clients,
    authenticate: devTokenCaller,
    clock: virtualClock(noon),
    onLogged: ({ message }) => {
      if (message !== 'request answered') return;
      answered.resolve();
      answered = Promise.withResolvers();
    },
  });
  const server = await serveIntake((request) => app.fetch(request), { port: 0 });
  onTestFinished(() => server.close());
  const handle = lambdaHandler({ app, log, meter });
  const invoke: TwoHosts['invoke'] = async (event) => {
    const { statusCode, headers, body } = await handle(event, { awsRequestId: invocationId });
    return toldBy(statusCode, headers, body);
  };
  return {
    url: server.url,
    written: clients.written,
    logged,
    counts,
    nextAnswer: () => answered.promise,
    local: (request) => overLoopback(server.url, request),
    lambda: (request, options) => invoke(eventOf(request, options)),
    invoke,
  };
}

async function overLoopback(url: string, { method, target, headers = [], body }: WireRequest): Promise<HostAnswer> {
  const { hostname, port } = new URL(url);
  const length = body === undefined ? [] : [['Content-Length', String(Buffer.byteLength(body))] as const];
  const sent = httpRequest({
    hostname,
    port,
    method,
    path: target,
    headers: [['Host', 'localhost'] as const, ...headers, ...length].flat(),
  });
  sent.end(body);
  const [answer] = await once(sent, 'response');
  return toldBy(answer.statusCode, answer.headers, await text(answer));
}

/** The event that API Gateway makes of a request: names in lower case, a repeated header joined by a comma. */
function eventOf(
  { method, target, headers = [], body }: WireRequest,
  { encoded = false }: { encoded?: boolean } = {},
): object {
  const [path = '', query = ''] = target.split('?');
  const byName = Map.groupBy(headers, ([name]) => name.toLowerCase());
  const joined = [...byName].map(([name, all]) => [name, all.map(([, value]) => value.trim()).join(',')]);
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
  return httpApiEvent({
    method,
    path,
    query,
    headers: { ...Object.fromEntries(joined), ...length },
    ...(body === undefined ? {} : { body: encoded ? Buffer.from(body).toString('base64') : body }),
    isBase64Encoded: encoded && body !== undefined,
  });
}

function toldBy(status: number, headers: Readonly<Record<string, unknown>>, body: string): HostAnswer {
  const requestId = headers['x-request-id'];
  const isProblem = headers['content-type'] === 'application/problem+json' && body !== '';
  const problem = isProblem ? Problem.assert(JSON.parse(body)) : undefined;
  if (problem !== undefined && problem.requestId !== requestId) throw new Error('The answer names another request.');
  return { status, problem: problem?.type.slice('/problems/'.length), requestId, text: body };
}
