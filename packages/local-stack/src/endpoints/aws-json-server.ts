import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { AwsError } from './aws-error.ts';
import { type Intercept, passAll, type ServiceName } from './intercept.ts';
import { isLoopbackHost, listen, urlOf } from './loopback.ts';
import { parseJson, RequestAborted, RequestTooLong, readBody } from './request-body.ts';

/** What an operation may know of its call besides the input. */
export interface CallContext {
  /** Aborted when the client has gone or the endpoint closes: a long poll ends, and hands nothing out. */
  readonly signal: AbortSignal;
  /** `http://127.0.0.1:<port>`, for URLs in the answer. */
  readonly baseUrl: string;
}

/** Answers one validated call; throws AwsError for what AWS would refuse. */
export type Operation = (input: unknown, context: CallContext) => object | Promise<object>;

export interface AwsJsonService {
  readonly name: ServiceName;
  /** The part of `X-Amz-Target` before the dot. */
  readonly targetPrefix: string;
  readonly contentType: 'application/x-amz-json-1.0' | 'application/x-amz-json-1.1';
  readonly operations: ReadonlyMap<string, Operation>;
  /** Turns a fault of the endpoint itself (a full disk, a defect) into a line someone reads. */
  readonly onError: (error: unknown) => void;
}

export interface RunningEndpoint {
  readonly url: string;
  /** Ends long polls with an empty answer, lets running calls finish and closes the port. */
  close(): Promise<void>;
}

/** JSON escapes can make six bytes of one, so 1 MiB of messages may be longer than that on the wire. */
const MAX_BODY_BYTES = 8 * 1024 * 1024;

/**
 * Serves one service in AWS's JSON protocol on 127.0.0.1: the operation comes from `X-Amz-Target`, errors carry `__type`.
 * Signatures are not checked; a Host that is not loopback is refused.
 */
export async function serveAwsJson(
  service: AwsJsonService,
  options: { port?: number | undefined; intercept?: Intercept | undefined },
): Promise<RunningEndpoint> {
  const intercept = options.intercept ?? passAll;
  const running = new Set<AbortController>();
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
    response.on('finish', () => closing && request.socket.end());
    answer(request, response, { signal: call.signal, baseUrl: url }).catch((error: unknown) => {
      service.onError(error);
      response.destroy();
    });
  });

  async function answer(request: IncomingMessage, response: ServerResponse, context: CallContext): Promise<void> {
    try {
      if (!isLoopbackHost(request)) {
        throw new AwsError('AccessDeniedException', 'This endpoint answers loopback names only.', { status: 403 });
      }
      const operationName = readTarget(request, service.targetPrefix);
      const input = await readInput(request);
      const fault = await intercept({ service: service.name, operation: operationName, input });
      if (fault === 'drop-before') return void request.socket.destroy();
      if (typeof fault === 'object') throw new AwsError(fault.type, fault.message, { status: fault.status });
      const operation = service.operations.get(operationName);
      if (!operation) throw unknownOperation(operationName);
      const output = await operation(input, context);
      if (fault === 'drop-after') return void request.socket.destroy();
      send(response, service.contentType, 200, output);
    } catch (error) {
      if (error instanceof RequestAborted) return;
      sendError(response, service, error);
    }
  }

  await listen(server, options.port ?? 0);
  // Asked for once: a server that closes has no address any more, yet still reads requests that had begun.
  const url = urlOf(server);
  return {
    url,
    close: () => {
      closing = true;
      const closed = new Promise<void>((resolve, reject) => server.close((e) => (e ? reject(e) : resolve())));
      for (const call of running) call.abort();
      return closed;
    },
  };
}

function readTarget(request: IncomingMessage, prefix: string): string {
  const target = request.headers['x-amz-target'];
  if (request.method !== 'POST' || typeof target !== 'string' || !target.startsWith(`${prefix}.`)) {
    throw unknownOperation(typeof target === 'string' ? target : '(no X-Amz-Target)');
  }
  return target.slice(prefix.length + 1);
}

async function readInput(request: IncomingMessage): Promise<unknown> {
  const body = await readBody(request, MAX_BODY_BYTES);
  const parsed = parseJson(body);
  if (!parsed) throw new AwsError('SerializationException', 'The request body is not JSON in UTF-8.');
  return parsed.value;
}

const unknownOperation = (name: string): AwsError =>
  new AwsError('UnknownOperationException', `The operation ${name} is not served by this endpoint.`);

function sendError(response: ServerResponse, service: AwsJsonService, error: unknown): void {
  const known = toAwsError(error);
  if (!known) service.onError(error);
  const shown = known ?? new AwsError('InternalFailure', 'The endpoint failed; see its log.', { status: 500 });
  if (shown.queryCode) {
    response.setHeader('x-amzn-query-error', `${shown.queryCode};${shown.status < 500 ? 'Sender' : 'Receiver'}`);
  }
  send(response, service.contentType, shown.status, { __type: shown.type, message: shown.message });
}

function toAwsError(error: unknown): AwsError | undefined {
  if (error instanceof AwsError) return error;
  if (error instanceof RequestTooLong) return new AwsError('RequestEntityTooLarge', error.message, { status: 413 });
  return undefined;
}

function send(response: ServerResponse, contentType: string, status: number, output: object): void {
  const body = Buffer.from(JSON.stringify(output));
  response.writeHead(status, {
    'Content-Type': contentType,
    'Content-Length': body.length,
    'x-amzn-RequestId': randomUUID(),
  });
  response.end(body);
}
