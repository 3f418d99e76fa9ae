import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { AwsError } from './aws-error.ts';
import { BodyBudget } from './body-budget.ts';
import { type Intercept, passAll, type ServiceName } from './intercept.ts';
import { isFromBrowser, isLoopbackHost, listen, urlOf } from './loopback.ts';
import { parseJson, RequestAbortedError, RequestTooLongError, readBody, TooManyBodiesError } from './request-body.ts';

/** One call, complete and allowed to be carried out. */
export interface Call {
  readonly operation: string;
  /** A JSON object; its fields are not checked yet. */
  readonly input: object;
  readonly body: Buffer;
  readonly headers: IncomingMessage['headers'];
  /** Aborted when the client has gone or the endpoint closes: a long poll ends, and hands nothing out. */
  readonly signal: AbortSignal;
  /** `http://127.0.0.1:<port>`, for URLs in the answer. */
  readonly baseUrl: string;
}

/** An answer as it goes over the wire. */
export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string;
}

/** A service of AWS's JSON protocol that an endpoint stands in for. */
export interface EndpointService {
  readonly name: ServiceName;
  /** The part of `X-Amz-Target` before the dot. */
  readonly targetPrefix: string;
  readonly maxBodyBytes: number;
  /** Carries a call out. Throws AwsError for what AWS would refuse; anything else is the endpoint's own fault. */
  readonly answer: (call: Call) => Promise<Reply>;
  readonly toReply: (error: AwsError) => Reply;
  /** Turns a fault of the endpoint itself (a full disk, a defect) into a line someone reads. */
  readonly onError: (error: unknown) => void;
}

export interface EndpointOptions {
  /** The port to listen on. Absent or 0: a free one. */
  readonly port?: number | undefined;
  readonly intercept?: Intercept | undefined;
}

export interface RunningEndpoint {
  readonly url: string;
  /** Ends long polls with an empty answer, lets running calls finish and closes the port. */
  close(): Promise<void>;
}

/** Bytes of bodies that one endpoint holds at a time: four of the largest that DynamoDB takes. */
export const bodyBudgetBytes = 64 * 1024 * 1024;

/**
 * Serves a service on 127.0.0.1 to SDKs and command lines on this machine. Signatures are not checked, so whatever a
 * page in a browser could send is refused, and so is a Host that is no loopback name.
 */
export async function serveEndpoint(service: EndpointService, options: EndpointOptions): Promise<RunningEndpoint> {
  const intercept = options.intercept ?? passAll;
  const budget = new BodyBudget(bodyBudgetBytes);
  const running = new Set<AbortController>();
  // A call goes on when its client has gone, and what it works on must not be closed under it.
  const handling = new Set<Promise<void>>();
  let closing = false;

  const server = createServer((request, response) => {
    const call = new AbortController();
    running.add(call);
    response.on('close', () => {
      running.delete(call);
      call.abort();
    });
    if (closing) {
      response.setHeader('Connection', 'close');
      call.abort();
    }
    // A connection kept alive would keep the server open.
    response.on('finish', () => closing && request.socket.end());
    const handled = handle(request, response, call.signal)
      .catch((error: unknown) => {
        service.onError(error);
        response.destroy();
      })
      .finally(() => handling.delete(handled));
    handling.add(handled);
  });

  async function handle(request: IncomingMessage, response: ServerResponse, signal: AbortSignal): Promise<void> {
    try {
      refuseStrangers(request);
      const operation = readTarget(request, service.targetPrefix);
      const { bytes: body, release } = await readBody(request, { maxBytes: service.maxBodyBytes, budget });
      try {
        const input = readInput(body);
        const fault = await intercept({ service: service.name, operation, input });
        if (fault === 'drop-before') return void request.socket.destroy();
        if (typeof fault === 'object') throw new AwsError(fault.type, fault.message, { status: fault.status });
        const reply = await service.answer({ operation, input, body, headers: request.headers, signal, baseUrl: url });
        if (fault === 'drop-after') return void request.socket.destroy();
        send(response, reply);
      } finally {
        release();
      }
    } catch (error) {
      if (error instanceof RequestAbortedError) return;
      const known = toAwsError(error);
      if (!known) service.onError(error);
      send(response, service.toReply(known ?? internalFailure()));
    }
  }

  await listen(server, options.port ?? 0);
  // Asked for once: a server that closes has no address any more, yet still reads requests that had begun.
  const url = urlOf(server);
  return {
    url,
    close: async () => {
      closing = true;
      const closed = new Promise<void>((resolve, reject) => server.close((e) => (e ? reject(e) : resolve())));
      for (const call of running) call.abort();
      await closed;
      await Promise.all(handling);
    },
  };
}

function refuseStrangers(request: IncomingMessage): void {
  if (!isLoopbackHost(request)) throw accessDenied('This endpoint answers loopback names only.');
  if (isFromBrowser(request)) throw accessDenied('This endpoint answers no page in a browser.');
}

function readTarget(request: IncomingMessage, prefix: string): string {
  const target = request.headers['x-amz-target'];
  if (request.method !== 'POST' || typeof target !== 'string' || !target.startsWith(`${prefix}.`)) {
    throw unknownOperation(typeof target === 'string' ? target : '(no X-Amz-Target)');
  }
  return target.slice(prefix.length + 1);
}

function readInput(body: Buffer): object {
  const input = parseJson(body)?.value;
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input;
  throw new AwsError('SerializationException', 'The request body is not a JSON object in UTF-8.');
}

/** Refuses an operation that an endpoint does not serve. */
export function unknownOperation(name: string): AwsError {
  return new AwsError('UnknownOperationException', `The operation ${name} is not served by this endpoint.`);
}

function accessDenied(message: string): AwsError {
  return new AwsError('AccessDeniedException', message, { status: 403 });
}

function internalFailure(): AwsError {
  return new AwsError('InternalFailure', 'The endpoint failed; see its log.', { status: 500 });
}

function toAwsError(error: unknown): AwsError | undefined {
  if (error instanceof AwsError) return error;
  if (error instanceof RequestTooLongError) {
    return new AwsError('RequestEntityTooLarge', error.message, { status: 413 });
  }
  if (error instanceof TooManyBodiesError) return new AwsError('ServiceUnavailable', error.message, { status: 503 });
  return undefined;
}

function send(response: ServerResponse, { status, headers, body }: Reply): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, { ...headers, 'Content-Length': bytes.length });
  response.end(bytes);
}
