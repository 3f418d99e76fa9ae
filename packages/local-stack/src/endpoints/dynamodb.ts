import { type IncomingMessage, Server, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { PassThrough } from 'node:stream';
import type { RunningEndpoint } from './aws-json-server.ts';
import { type Fault, type Intercept, passAll } from './intercept.ts';
import { isLoopbackHost, listen, urlOf } from './loopback.ts';
import { parseJson, RequestAborted, RequestTooLong, readBody } from './request-body.ts';

/** Above DynamoDB's own largest request, a BatchWriteItem of 16 MB. */
const MAX_BODY_BYTES = 17 * 1024 * 1024;

/**
 * Serves DynamoDB by dynalite, on LevelDB under `path` or in memory. A request reaches dynalite only when it is complete:
 * dynalite itself throws, and ends the process, when a client goes away in the middle of one.
 */
export async function serveDynamoDb(options: {
  readonly path?: string | undefined;
  readonly port?: number | undefined;
  readonly intercept?: Intercept | undefined;
  readonly onError: (error: unknown) => void;
}): Promise<RunningEndpoint> {
  const { server, handle } = createDynalite(options.path);
  const intercept = options.intercept ?? passAll;

  async function front(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!isLoopbackHost(request)) {
      refuse(response, {
        status: 403,
        type: 'AccessDeniedException',
        message: 'This endpoint answers loopback names only.',
      });
      return;
    }
    const body = await readBody(request, MAX_BODY_BYTES);
    const fault = await intercept({
      service: 'dynamodb',
      operation: operationOf(request),
      input: parseJson(body)?.value,
    });
    if (fault === 'drop-before') {
      request.socket.destroy();
      return;
    }
    if (typeof fault === 'object') {
      refuse(response, fault);
      return;
    }
    if (fault === 'drop-after') cutReply(request, response);
    handle(replay(request, body), response);
  }

  let closing = false;
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    // A connection kept alive would keep the server open until it is idle for seconds.
    response.on('finish', () => closing && request.socket.end());
    front(request, response).catch((error: unknown) => {
      if (error instanceof RequestTooLong) {
        refuse(response, { status: 413, type: 'RequestEntityTooLarge', message: error.message });
        return;
      }
      if (!(error instanceof RequestAborted)) options.onError(error);
      response.destroy();
    });
  });
  await listen(server, options.port ?? 0);
  return {
    url: urlOf(server),
    close: () =>
      new Promise((resolve, reject) => {
        closing = true;
        server.close((error) => (error ? reject(error) : resolve()));
        server.closeIdleConnections();
      }),
  };
}

type Handle = (request: PassThrough, response: ServerResponse) => void;

/**
 * dynalite's server with its request handler taken off. dynalite comes without types; what is used of it is checked
 * here instead. The server itself is kept, since closing it is what closes LevelDB.
 */
function createDynalite(path: string | undefined): { server: Server; handle: Handle } {
  const require = createRequire(import.meta.url);
  const dynalite: unknown = require('dynalite');
  if (typeof dynalite !== 'function') throw new Error('The dynalite package does not export a function.');
  const server: unknown = Reflect.apply(dynalite, undefined, [
    { createTableMs: 0, deleteTableMs: 0, updateTableMs: 0, path },
  ]);
  if (!(server instanceof Server)) throw new Error('dynalite did not make an HTTP server.');
  const [handler] = server.listeners('request');
  if (!handler) throw new Error("dynalite's server has no request handler.");
  server.removeAllListeners('request');
  return {
    server,
    handle: (request, response) => {
      Reflect.apply(handler, server, [request, response]);
    },
  };
}

/** The request once more, complete: dynalite reads method, url, headers and the stream of the body. */
function replay(request: IncomingMessage, body: Buffer): PassThrough {
  const stream = Object.assign(new PassThrough(), {
    method: request.method,
    url: request.url,
    headers: request.headers,
  });
  stream.end(body);
  return stream;
}

/** `DynamoDB_20120810.PutItem` → `PutItem`. */
function operationOf(request: IncomingMessage): string {
  const target = String(request.headers['x-amz-target'] ?? '');
  return target.slice(target.indexOf('.') + 1);
}

function cutReply(request: IncomingMessage, response: ServerResponse): void {
  const cut: ServerResponse['end'] = () => {
    request.socket.destroy();
    return response;
  };
  response.end = cut;
}

function refuse(response: ServerResponse, fault: Exclude<Fault, string>): void {
  const body = Buffer.from(JSON.stringify({ __type: fault.type, message: fault.message }));
  response.writeHead(fault.status, { 'Content-Type': 'application/x-amz-json-1.0', 'Content-Length': body.length });
  response.end(body);
}
