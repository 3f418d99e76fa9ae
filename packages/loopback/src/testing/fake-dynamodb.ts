import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import deleteItem from 'dynalite/actions/deleteItem.js';
import getItem from 'dynalite/actions/getItem.js';
import putItem from 'dynalite/actions/putItem.js';
import updateItem from 'dynalite/actions/updateItem.js';
import deleteItemRules from 'dynalite/validations/deleteItem.js';
import getItemRules from 'dynalite/validations/getItem.js';
import validations from 'dynalite/validations/index.js';
import putItemRules from 'dynalite/validations/putItem.js';
import updateItemRules from 'dynalite/validations/updateItem.js';
import { localClientConfig } from '../client-config.ts';
import type { TableKeys } from '../create-table.ts';
import { fakeTables } from './fake-table.ts';

/** The answer to one request, as the service would send it. */
export interface FakeAnswer {
  readonly status: number;
  readonly body: object;
}

/** The way of a request to the table and of its answer back; `serve` is the instant at which the table does it. */
export type FakeTrip = (operation: string, serve: () => FakeAnswer) => Promise<FakeAnswer>;

/** A DynamoDB inside this process. */
export interface FakeDynamoDb {
  /** A real client of the SDK, whose requests are answered here. */
  client(): DynamoDBClient;
}

const operations = new Map([
  ['UpdateItem', { act: updateItem, rules: updateItemRules }],
  ['PutItem', { act: putItem, rules: putItemRules }],
  ['DeleteItem', { act: deleteItem, rules: deleteItemRules }],
  ['GetItem', { act: getItem, rules: getItemRules }],
]);

/**
 * A DynamoDB inside this process, without a network: for operations on single items, with dynalite's own checks and
 * expressions. It differs from dynalite in two ways: a refused condition tells the item where
 * `ReturnValuesOnConditionCheckFailure` asks for it, as AWS does, and an operation is one synchronous step, so that a
 * virtual clock can drive it.
 *
 * @param options.trip delays, counts or loses requests; left out, each is served at once
 */
export function fakeDynamoDb(
  tables: readonly TableKeys[],
  { trip = async (_operation, serve) => serve() }: { readonly trip?: FakeTrip } = {},
): FakeDynamoDb {
  const store = fakeTables(tables);
  const handle = async ({ headers, body }: HttpRequest): Promise<{ response: HttpResponse }> => {
    const operation = headers['x-amz-target']?.split('.')[1] ?? 'nothing';
    const answer = await trip(operation, () => serve(store, operation, textOf(body)));
    return {
      response: {
        statusCode: answer.status,
        headers: { 'content-type': 'application/x-amz-json-1.0' },
        body: Buffer.from(JSON.stringify(answer.body)),
      },
    };
  };
  return {
    client: () => new DynamoDBClient({ ...localClientConfig('http://127.0.0.1:1'), requestHandler: { handle } }),
  };
}

interface HttpRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

interface HttpResponse {
  readonly statusCode: number;
  readonly headers: Record<string, string>;
  readonly body: Uint8Array;
}

function serve(store: object, name: string, body: string): FakeAnswer {
  const operation = operations.get(name);
  if (operation === undefined) throw new Error(`The fake DynamoDB knows operations on single items; ${name} is none.`);
  const asked = readObject(body);
  try {
    return { status: 200, body: run(operation, store, asked) };
  } catch (error) {
    const told = toldBy(error);
    if (told === undefined) throw error;
    const isAsked = 'ReturnValuesOnConditionCheckFailure' in asked && isRefusedCondition(told);
    return { status: 400, body: isAsked ? { ...told, ...run(read, store, keyOf(asked)) } : told };
  }
}

const read = { act: getItem, rules: getItemRules };

/** A read of the item that a request is about; a PutItem has no Key and is told to have none. */
function keyOf(asked: object): object {
  return {
    ...('TableName' in asked && { TableName: asked.TableName }),
    ...('Key' in asked && { Key: asked.Key }),
  };
}

/** Checks a request as dynalite does, without the fields that it does not know, and does it. */
function run({ act, rules }: typeof read, store: object, asked: object): object {
  const data = validations.checkTypes({ ...asked }, rules.types);
  validations.checkValidations(data, rules.types, rules.custom, store);
  let answered: object | undefined;
  act(store, data, (error, answer) => {
    if (error) throw error;
    answered = answer;
  });
  if (answered === undefined) throw new Error('dynalite did not answer at once');
  return answered;
}

/** The body of an error that is an answer; undefined for one that is a mistake. */
function toldBy(error: unknown): object | undefined {
  if (!(error instanceof Error) || !('statusCode' in error) || !('body' in error)) return undefined;
  return typeof error.body === 'object' && error.body !== null ? error.body : undefined;
}

function isRefusedCondition(told: object): boolean {
  return '__type' in told && String(told.__type).endsWith('#ConditionalCheckFailedException');
}

function textOf(body: unknown): string {
  return body instanceof Uint8Array ? new TextDecoder().decode(body) : String(body);
}

function readObject(body: string): object {
  const read: unknown = JSON.parse(body);
  if (typeof read !== 'object' || read === null) throw new Error(`A request must be an object; this one is ${body}`);
  return read;
}
