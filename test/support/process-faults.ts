import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { SQSClient } from '@aws-sdk/client-sqs';
import { type Takes, takePartly } from './partial-batches.ts';

/** One HTTP request that an SDK client is about to make; its own retries are requests of their own. */
export interface OutgoingRequest {
  /** The command as AWS spells it: `UpdateItem`, `SendMessageBatch` … */
  readonly command: string;
  /** Counts this process's requests of the command, from 1. */
  readonly nth: number;
  readonly input: object;
}

/** A fault of one request. A crash ends the whole process: nothing that it still had to do is done. */
export type RequestFault =
  | 'request lost'
  | 'reply lost'
  | 'crash before'
  | 'crash after'
  /** Sent only once the promise resolves: a process that stands still meanwhile. */
  | { readonly stallUntil: Promise<void> };

/** The faults of one process. */
export interface Faults {
  readonly onRequest?: (request: OutgoingRequest) => RequestFault | undefined;
  /** The entries of a batch call that the service takes; the others come back as failed or unprocessed. */
  readonly takes?: Takes;
}

/** Ends the process; the promise it answers never resolves. */
export type Crash = () => Promise<never>;

interface Clients {
  readonly dynamoDb: DynamoDBClient;
  readonly sqs: SQSClient;
  readonly eventBridge: EventBridgeClient;
}

/** The fault at the nth request of a command, and none at any other. */
export function at(command: string, nth: number, fault: RequestFault): Faults {
  return { onRequest: (request) => (request.command === command && request.nth === nth ? fault : undefined) };
}

/** The fault at every request of a command. */
export function always(command: string, fault: RequestFault): Faults {
  return { onRequest: (request) => (request.command === command ? fault : undefined) };
}

/**
 * Puts faults into the real SDK clients of one process by middleware: requests below the SDK's own retries, as a
 * network would, and batches above its serializer, as a service does that takes only a part.
 *
 * @returns the commands of all requests made, as they are made
 */
export function injectFaults(clients: Clients, faults: Faults, crash: Crash): string[] {
  const { dynamoDb, sqs, eventBridge } = clients;
  const requests: string[] = [];
  const disturb = disturbing(faults, crash, requests);
  const below = { step: 'deserialize', priority: 'high', name: 'requestFaults' } as const;
  dynamoDb.middlewareStack.add((next, context) => (args) => disturb(args, context, next), below);
  sqs.middlewareStack.add((next, context) => (args) => disturb(args, context, next), below);
  eventBridge.middlewareStack.add((next, context) => (args) => disturb(args, context, next), below);
  if (faults.takes !== undefined) takePartly(clients, faults.takes);
  return requests;
}

type Disturb = <A extends { readonly input: object }, R>(
  args: A,
  context: { readonly commandName?: string },
  next: (args: A) => Promise<R>,
) => Promise<R>;

function disturbing({ onRequest }: Faults, crash: Crash, requests: string[]): Disturb {
  return async (args, { commandName = '' }, next) => {
    const command = commandName.replace(/Command$/, '');
    requests.push(command);
    const nth = requests.filter((request) => request === command).length;
    const fault = onRequest?.({ command, nth, input: args.input });
    if (fault === 'crash before') return crash();
    if (fault === 'request lost') throw connectionReset();
    if (typeof fault === 'object') await fault.stallUntil;
    if (fault === 'reply lost') {
      // An error is a reply as well: to the SDK's second try of a write that its first had made, for one.
      await next(args).catch(() => undefined);
      throw connectionReset();
    }
    const answer = await next(args);
    return fault === 'crash after' ? crash() : answer;
  };
}

/** The error of the SDK's transport for a connection that ended before an answer came; the SDK tries again. */
function connectionReset(): Error {
  return Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
}
