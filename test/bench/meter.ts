import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';

/** The cost of calls to DynamoDB. */
export interface Tally {
  /** Attempts on the wire, the SDK's own retries and failed conditions among them. */
  readonly calls: number;
  /** Those of the calls that only read. */
  readonly reads: number;
  readonly readUnits: number;
  readonly writeUnits: number;
  /** Writes whose condition did not hold. */
  readonly failedConditions: number;
}

export const emptyTally: Tally = { calls: 0, reads: 0, readUnits: 0, writeUnits: 0, failedConditions: 0 };

/** Adds two tallies. */
export function plus(a: Tally, b: Tally): Tally {
  return {
    calls: a.calls + b.calls,
    reads: a.reads + b.reads,
    readUnits: a.readUnits + b.readUnits,
    writeUnits: a.writeUnits + b.writeUnits,
    failedConditions: a.failedConditions + b.failedConditions,
  };
}

const kindOf: ReadonlyMap<string, 'readUnits' | 'writeUnits'> = new Map([
  ['GetItemCommand', 'readUnits'],
  ['BatchGetItemCommand', 'readUnits'],
  ['QueryCommand', 'readUnits'],
  ['PutItemCommand', 'writeUnits'],
  ['UpdateItemCommand', 'writeUnits'],
  ['BatchWriteItemCommand', 'writeUnits'],
]);

/**
 * AWS bills a write whose condition fails by the size of the item, at least one unit (DynamoDB developer guide, "Read
 * and write operations"), but tells no ConsumedCapacity. The items on which a contender's condition may fail are far
 * below 1 KB, so one unit it is.
 */
const unitsOfFailedCondition = 1;

/**
 * Counts what a client sends, below the SDK's retries, and has DynamoDB tell the capacity of every call.
 *
 * @returns takes the tally since the last time
 */
export function meter(client: DynamoDBClient): () => Tally {
  let tally = emptyTally;
  client.middlewareStack.add(
    (next) => (args) => next({ ...args, input: Object.assign({}, args.input, { ReturnConsumedCapacity: 'TOTAL' }) }),
    { name: 'askForCapacity', step: 'initialize' },
  );
  client.middlewareStack.add(
    (next, { commandName = 'unknown' }) =>
      async (args) => {
        try {
          const result = await next(args);
          tally = plus(tally, answered(commandName, result.output ?? {}));
          return result;
        } catch (error) {
          tally = plus(tally, failed(error));
          throw error;
        }
      },
    { name: 'countCalls', step: 'deserialize', priority: 'high' },
  );
  return () => {
    const taken = tally;
    tally = emptyTally;
    return taken;
  };
}

function answered(commandName: string, output: object): Tally {
  const kind = kindOf.get(commandName);
  if (kind === undefined) throw new Error(`The meter does not know whether ${commandName} reads or writes.`);
  const consumed = 'ConsumedCapacity' in output ? output.ConsumedCapacity : undefined;
  if (consumed === undefined) throw new Error(`${commandName} was answered without ConsumedCapacity.`);
  // A batch call tells one capacity per table, any other call one.
  const units = [consumed].flat().reduce((total: number, capacity) => total + unitsOf(capacity), 0);
  return { ...emptyTally, calls: 1, reads: kind === 'readUnits' ? 1 : 0, [kind]: units };
}

function unitsOf(capacity: unknown): number {
  if (typeof capacity === 'object' && capacity !== null && 'CapacityUnits' in capacity) {
    if (typeof capacity.CapacityUnits === 'number') return capacity.CapacityUnits;
  }
  throw new Error(`A ConsumedCapacity must tell its CapacityUnits; this one is ${JSON.stringify(capacity)}.`);
}

function failed(error: unknown): Tally {
  if (!(error instanceof Error) || error.name !== 'ConditionalCheckFailedException') return { ...emptyTally, calls: 1 };
  return { ...emptyTally, calls: 1, writeUnits: unitsOfFailedCondition, failedConditions: 1 };
}
