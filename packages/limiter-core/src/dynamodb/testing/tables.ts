import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { fakeDynamoDb, startDynalite } from '@usher/loopback/testing';

/** A table for limits, and clients of its own for each store. */
export interface TestTable {
  readonly tableName: string;
  client(): DynamoDBClient;
  close(): Promise<void>;
}

const tableName = 'limits';
const keys = { tableName, partitionKey: 'pk' };

/** DynamoDB's evaluator inside the process; a failed condition brings the item, as AWS's does. */
export async function fakeTable(): Promise<TestTable> {
  const fake = fakeDynamoDb([keys]);
  return { tableName, client: () => fake.client(), close: async () => undefined };
}

/** dynalite on loopback; a failed condition brings no item, so that a read replaces it. */
export async function dynaliteTable(): Promise<TestTable> {
  const { client, close } = await startDynalite(keys);
  return { tableName, client, close };
}

/** One request that a client made. */
export interface Request {
  readonly operation: string;
  readonly input: object;
}

/** Records what a client sends, attempts counted one by one. */
export function record(client: DynamoDBClient): Request[] {
  const requests: Request[] = [];
  client.middlewareStack.add(
    (next, context) => async (args) => {
      requests.push({ operation: String(context.commandName).replace(/Command$/, ''), input: args.input });
      return next(args);
    },
    { step: 'deserialize', priority: 'high', name: 'record' },
  );
  return requests;
}
