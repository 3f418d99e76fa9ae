import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** A fault of one HTTP request of an SDK client. */
export type Fault =
  /** The table never hears of it. */
  | 'request lost'
  /** The table does it; the answer does not arrive. */
  | 'reply lost'
  /** The table answers 500. */
  | 'server error';

/** Errors as the SDK's own transport and deserializer would throw them; all of them are retried by the SDK. */
function errorOf(fault: Fault): Error {
  if (fault === 'server error') {
    return Object.assign(new Error('internal failure'), {
      name: 'InternalServerError',
      $fault: 'server',
      $metadata: { httpStatusCode: 500 },
    });
  }
  return Object.assign(new Error('socket hang up'), { name: 'Error', code: 'ECONNRESET' });
}

/**
 * Puts faults into a client, below its retries: each request of a command takes the next fault of that command's list,
 * or none once the list has ended. Returns the names of all requests made, retries included, as they are made.
 */
export function injectFaults(base: DynamoDBClient, faults: Record<string, (Fault | 'none')[]>): string[] {
  const requests: string[] = [];
  base.middlewareStack.add(
    (next, context) => async (args) => {
      const command = String(context.commandName).replace(/Command$/, '');
      requests.push(command);
      const fault = faults[command]?.shift() ?? 'none';
      if (fault === 'none') return next(args);
      if (fault === 'reply lost') await next(args);
      throw errorOf(fault);
    },
    { step: 'deserialize', priority: 'high', name: 'injectFaults' },
  );
  return requests;
}

/**
 * Makes a client's batch calls serve only the first `perCall` keys or puts that `isServed` lets through, and hand the
 * rest back unprocessed, as DynamoDB does when it throttles or its answer would pass 16 MB.
 */
export function leaveUnprocessed(
  base: DynamoDBClient,
  { perCall, isServed = () => true }: { perCall: number; isServed?: (item: unknown) => boolean },
): void {
  const split = (entries: readonly unknown[]): { served: unknown[]; left: unknown[] } => {
    const served = entries.filter(isServed).slice(0, perCall);
    return { served, left: entries.filter((entry) => !served.includes(entry)) };
  };
  base.middlewareStack.add(
    (next, context) => async (args) => {
      const name = String(context.commandName);
      if (!isBatch(args.input)) return next(args);
      const [[table, request] = []] = Object.entries(args.input.RequestItems);
      if (table === undefined || request === undefined) return next(args);
      const entries = Array.isArray(request) ? request : request.Keys;
      const { served, left } = split(entries);
      const withEntries = (list: unknown[]): unknown => (Array.isArray(request) ? list : { ...request, Keys: list });
      const output = served.length === 0 ? { $metadata: {} } : undefined;
      const answer =
        output === undefined
          ? await next({ ...args, input: { ...args.input, RequestItems: { [table]: withEntries(served) } } })
          : { output, response: {} };
      const unprocessed = left.length === 0 ? {} : { [table]: withEntries(left) };
      const field = name.startsWith('BatchGet') ? 'UnprocessedKeys' : 'UnprocessedItems';
      return { ...answer, output: { ...answer.output, [field]: unprocessed } };
    },
    { step: 'initialize', priority: 'low', name: 'leaveUnprocessed' },
  );
}

interface BatchInput {
  readonly RequestItems: Record<string, unknown[] | { readonly Keys: unknown[] }>;
}

function isBatch(input: object): input is BatchInput {
  return 'RequestItems' in input;
}
