import { randomUUID } from 'node:crypto';
import type { AwsError } from './aws-error.ts';
import {
  type Call,
  type EndpointOptions,
  type Reply,
  type RunningEndpoint,
  serveEndpoint,
  unknownOperation,
} from './endpoint-server.ts';
import type { ServiceName } from './intercept.ts';

/** The part of a call that an operation may know besides its input. */
export type CallContext = Pick<Call, 'signal' | 'baseUrl'>;

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

/** JSON escapes can make six bytes of one, so 1 MiB of messages may be longer than that on the wire. */
const maxBodyBytes = 8 * 1024 * 1024;

/** Serves the operations of one service in AWS's JSON protocol on 127.0.0.1; errors carry `__type`. */
export function serveAwsJson(service: AwsJsonService, options: EndpointOptions): Promise<RunningEndpoint> {
  const { name, targetPrefix, contentType, operations, onError } = service;
  return serveEndpoint(
    {
      name,
      targetPrefix,
      maxBodyBytes,
      answer: async ({ operation, input, signal, baseUrl }) => {
        const run = operations.get(operation);
        if (run === undefined) throw unknownOperation(operation);
        return replyOf(contentType, 200, await run(input, { signal, baseUrl }));
      },
      toReply: (error) => errorReply(contentType, error),
      onError,
    },
    options,
  );
}

function errorReply(contentType: string, error: AwsError): Reply {
  const { status, headers, body } = replyOf(contentType, error.status, { __type: error.type, message: error.message });
  if (error.queryCode === undefined) return { status, headers, body };
  const side = status < 500 ? 'Sender' : 'Receiver';
  return { status, headers: { ...headers, 'x-amzn-query-error': `${error.queryCode};${side}` }, body };
}

function replyOf(contentType: string, status: number, output: object): Reply {
  const headers = { 'Content-Type': contentType, 'x-amzn-RequestId': randomUUID() };
  return { status, headers, body: JSON.stringify(output) };
}
