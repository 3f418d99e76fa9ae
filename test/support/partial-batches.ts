import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import type { SQSClient } from '@aws-sdk/client-sqs';

/** One entry of a batch call: of SendMessageBatch, PutEvents, BatchGetItem, BatchWriteItem … */
export interface BatchEntry {
  readonly command: string;
  /** Counts the client's calls of the command, from 1; the SDK's retries are the same call. */
  readonly nth: number;
  /** The entry's place in the call. */
  readonly index: number;
  /** The entry as JSON text. */
  readonly text: string;
}

/** True where the service takes an entry. */
export type Takes = (entry: BatchEntry) => boolean;

/**
 * Makes batch calls carry out only the entries that `takes` lets through and hand the rest back in the service's own
 * way: as UnprocessedKeys or UnprocessedItems of DynamoDB, in `Failed` of SQS, with an ErrorCode of EventBridge.
 */
export function takePartly(
  { dynamoDb, sqs, eventBridge }: { dynamoDb: DynamoDBClient; sqs: SQSClient; eventBridge: EventBridgeClient },
  takes: Takes,
): void {
  const serve = serving(takes);
  const above = { step: 'initialize', priority: 'low', name: 'partialBatches' } as const;
  // What a service answers when it takes nothing at all; the call is not made then, since none may be empty.
  const nothing = { response: {}, output: { $metadata: {} } };
  dynamoDb.middlewareStack.add((next, context) => (args) => serve(args, context, next, nothing), above);
  sqs.middlewareStack.add((next, context) => (args) => serve(args, context, next, nothing), above);
  eventBridge.middlewareStack.add((next, context) => (args) => serve(args, context, next, nothing), above);
}

type Serve = <A extends { readonly input: object }, R extends { readonly output: object }>(
  args: A,
  context: { readonly commandName?: string },
  next: (args: A) => Promise<R>,
  nothing: R,
) => Promise<R>;

function serving(takes: Takes): Serve {
  const calls = new Map<string, number>();
  return async (args, { commandName = '' }, next, nothing) => {
    const command = commandName.replace(/Command$/, '');
    const batch = readBatch(args.input);
    if (batch === undefined) return next(args);
    const nth = (calls.get(command) ?? 0) + 1;
    calls.set(command, nth);
    const taken = batch.entries.map((entry, index) => takes({ command, nth, index, text: JSON.stringify(entry) }));
    if (!taken.includes(false)) return next(args);
    const entries = batch.entries.filter((_, index) => taken[index]);
    const input = { ...args.input, ...batch.inputOf(entries) };
    const answer = entries.length === 0 ? nothing : await next({ ...args, input });
    return { ...answer, output: { ...answer.output, ...batch.outputOf(answer.output, taken) } };
  };
}

/** A batch call's entries, the same call with other entries, and the answer that says which were not taken. */
interface Batch {
  readonly entries: readonly unknown[];
  inputOf(entries: readonly unknown[]): object;
  outputOf(output: object, taken: readonly boolean[]): object;
}

function readBatch(input: object): Batch | undefined {
  if ('RequestItems' in input && isRecord(input.RequestItems)) return tableBatch(input.RequestItems);
  if (!('Entries' in input) || !Array.isArray(input.Entries)) return undefined;
  return 'QueueUrl' in input ? queueBatch(input.Entries) : busBatch(input.Entries);
}

function tableBatch(requestItems: Record<string, unknown>): Batch | undefined {
  const [[table, request] = []] = Object.entries(requestItems);
  if (table === undefined) return undefined;
  if (Array.isArray(request)) {
    const left = (taken: readonly boolean[]) => request.filter((_, index) => !taken[index]);
    return {
      entries: request,
      inputOf: (entries) => ({ RequestItems: { [table]: entries } }),
      outputOf: (_, taken) => ({ UnprocessedItems: { [table]: left(taken) } }),
    };
  }
  if (!isRecord(request) || !Array.isArray(request.Keys)) return undefined;
  const { Keys: keys } = request;
  return {
    entries: keys,
    inputOf: (entries) => ({ RequestItems: { [table]: { ...request, Keys: entries } } }),
    outputOf: (_, taken) => ({
      UnprocessedKeys: { [table]: { ...request, Keys: keys.filter((_key, index) => !taken[index]) } },
    }),
  };
}

function queueBatch(entries: readonly unknown[]): Batch {
  return {
    entries,
    inputOf: (Entries) => ({ Entries }),
    outputOf: (_, taken) => ({
      Failed: entries
        .filter((_entry, index) => !taken[index])
        .map((entry) => ({ Id: isRecord(entry) ? entry.Id : undefined, SenderFault: false, Code: 'InternalError' })),
    }),
  };
}

function busBatch(entries: readonly unknown[]): Batch {
  return {
    entries,
    inputOf: (Entries) => ({ Entries }),
    outputOf: (output, taken) => {
      const answered = 'Entries' in output && Array.isArray(output.Entries) ? output.Entries.values() : [].values();
      const Entries = taken.map((one) => (one ? answered.next().value : { ErrorCode: 'InternalFailure' }));
      return { Entries, FailedEntryCount: taken.filter((one) => !one).length };
    },
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
