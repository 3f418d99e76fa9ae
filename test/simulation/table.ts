import {
  type AttributeValue,
  type BatchGetItemInput,
  type BatchWriteItemInput,
  ConditionalCheckFailedException,
  type GetItemInput,
  type PutItemInput,
  type QueryInput,
  type UpdateItemInput,
} from '@aws-sdk/client-dynamodb';
import type { Policy } from '@usher/limiter-core/bulk';
import { applyUpdate, type Expression, holds, type Item } from './expressions.ts';
import type { Process } from './process.ts';
import type { Served } from './served.ts';
import { assertExpression, assertFits, itemBytes } from './sizes.ts';

export interface Key {
  readonly pk: string;
  readonly sk: string;
}

/** A process as it was when it sent a request. */
export interface Caller {
  readonly name: string;
  readonly defaultPolicy: Policy;
  readonly policiesRead: Process['policiesRead'];
  readonly skewMs: number;
}

/** One write that went through, in the order of the table. */
export interface TableWrite {
  readonly atMs: number;
  /** The writer; undefined for the operator. */
  readonly by: Caller | undefined;
  readonly key: Key;
  readonly before: Item | undefined;
  readonly after: Item;
  /** The attributes that an update SET, in the order of its expression. */
  readonly set: readonly string[];
}

export interface TableOptions {
  readonly now: () => number;
  /** The longest delay of a deletion by TTL: 0 is at once, AWS says days. */
  readonly ttlDelayMs: () => number;
  /** The most bytes of items in one answer: {@link answerBytes} or less, so that small runs page too. */
  readonly queryBytes: number;
  readonly batchGetBytes: number;
  readonly onDelete: (delayMs: number) => void;
  readonly onWrite: (write: TableWrite) => void;
}

/**
 * One DynamoDB table in memory: `pk` and `sk`, conditions checked and applied in one step per item, TTL. Every read is
 * as of its instant, for Usher asks for consistent reads only (an inconsistent one is refused here). A batch is no
 * transaction: each of its keys is a step of its own, and others may come in between.
 */
export class Table {
  readonly #items = new Map<string, Map<string, { item: Item; goneAtMs: number; delayMs: number }>>();
  readonly #options: TableOptions;

  constructor(options: TableOptions) {
    this.#options = options;
  }

  serve(command: string, input: unknown, by: Caller, isLeft: (index: number) => boolean): Served {
    switch (command) {
      case 'GetItem':
        return this.#get(input as GetItemInput);
      case 'PutItem':
        return this.#put(input as PutItemInput, by);
      case 'UpdateItem':
        return this.#update(input as UpdateItemInput, by);
      case 'Query':
        return this.#query(input as QueryInput);
      case 'BatchGetItem':
        return this.#batchGet(input as BatchGetItemInput, isLeft);
      case 'BatchWriteItem':
        return this.#batchWrite(input as BatchWriteItemInput, by, isLeft);
      default:
        throw new Error(`The simulated table does not know ${command}`);
    }
  }

  /** The item as it is now, after what TTL has deleted. */
  read(key: Key): Item | undefined {
    const range = this.#items.get(key.pk);
    const found = range?.get(key.sk);
    if (found === undefined || found.goneAtMs > this.#options.now()) return found?.item;
    range?.delete(key.sk);
    this.#options.onDelete(found.delayMs);
    return undefined;
  }

  write(key: Key, after: Item, by?: Caller, set: readonly string[] = []): void {
    assertFits(after);
    const before = this.read(key);
    const { now, ttlDelayMs, onWrite } = this.#options;
    const range = this.#items.get(key.pk) ?? new Map();
    this.#items.set(key.pk, range);
    const expiresAt = after.expiresAt?.N;
    const delayMs = expiresAt === undefined ? 0 : ttlDelayMs();
    const goneAtMs = expiresAt === undefined ? Number.POSITIVE_INFINITY : Number(expiresAt) * 1000 + delayMs;
    range.set(key.sk, { item: after, goneAtMs, delayMs });
    onWrite({ atMs: now(), by, key, before, after, set });
  }

  #get({ Key, ConsistentRead }: GetItemInput): Served {
    assertConsistent(ConsistentRead);
    return one(() => {
      const key = keyOf(Key);
      const item = this.read(key);
      if (item === undefined) return {};
      return { Item: isRaw(key) ? item : toNative(item) };
    });
  }

  #put(input: PutItemInput, by: Caller): Served {
    return one(() => {
      const item = input.Item ?? {};
      this.#check(keyOf(item), input);
      this.write(keyOf(item), item, by);
      return {};
    });
  }

  #update(input: UpdateItemInput, by: Caller): Served {
    return one(() => {
      const key = keyOf(input.Key);
      this.#check(key, input);
      const before = this.read(key) ?? { pk: { S: key.pk }, sk: { S: key.sk } };
      const { item, set } = applyUpdate(expressionOf(input.UpdateExpression ?? '', input), before);
      this.write(key, item, by, set);
      if (input.ReturnValues === 'ALL_NEW') return { Attributes: isRaw(key) ? item : toNative(item) };
      if (input.ReturnValues !== 'UPDATED_NEW') return {};
      return { Attributes: toNative(Object.fromEntries(set.flatMap((name) => entryOf(item, name)))) };
    });
  }

  #query(input: QueryInput): Served {
    assertConsistent(input.ConsistentRead);
    return one(() => {
      const condition = expressionOf(input.KeyConditionExpression ?? '', input);
      const pk = input.ExpressionAttributeValues?.[':pk']?.S ?? '';
      const from = input.ExclusiveStartKey === undefined ? '' : keyOf(input.ExclusiveStartKey).sk;
      const matching = [...(this.#items.get(pk)?.keys() ?? [])]
        .sort()
        .filter((sk) => sk > from)
        .map((sk) => this.read({ pk, sk }))
        .filter((item) => item !== undefined)
        .filter((item) => holds(condition, item));
      // A page ends with the item that fills it, whether or not another one follows, and before what a filter drops.
      let bytes = 0;
      const last = matching.findIndex((item) => {
        bytes += itemBytes(item);
        return bytes >= this.#options.queryBytes;
      });
      const page = last < 0 ? matching : matching.slice(0, last + 1);
      const found = page.filter(
        (item) => !input.FilterExpression || holds(expressionOf(input.FilterExpression, input), item),
      );
      const end = last < 0 ? undefined : page.at(-1);
      return {
        Count: found.length,
        ...(input.Select === 'COUNT' ? {} : { Items: found.map(toNative) }),
        ...(end === undefined ? {} : { LastEvaluatedKey: toNative({ pk: end.pk ?? {}, sk: end.sk ?? {} } as Item) }),
      };
    });
  }

  #batchGet(input: BatchGetItemInput, isLeft: (index: number) => boolean): Served {
    const [table, request] = only(input.RequestItems);
    const keys = request.Keys ?? [];
    if (keys.length === 0 || keys.length > 100) throw new Error(`BatchGetItem of ${keys.length} keys`);
    assertDistinct(keys.map(keyOf));
    assertConsistent(request.ConsistentRead);
    assertExpression(request.ProjectionExpression);
    const wanted = request.ProjectionExpression?.split(',').map((name) => name.trim());
    const items: Record<string, unknown>[] = [];
    const left = keys.filter((_, i) => isLeft(i));
    let bytes = 0;
    return {
      steps: keys
        .filter((key) => !left.includes(key))
        .map((key) => () => {
          const item = this.read(keyOf(key));
          if (item === undefined) return;
          // Counted whole, whatever is projected; what no longer fits has to be asked for again.
          const size = itemBytes(item);
          if (items.length > 0 && bytes + size > this.#options.batchGetBytes) {
            left.push(key);
            return;
          }
          bytes += size;
          const names = Object.keys(item).filter((name) => wanted === undefined || wanted.includes(name));
          items.push(toNative(Object.fromEntries(names.flatMap((name) => entryOf(item, name)))));
        }),
      finish: () => ({
        Responses: { [table]: items },
        UnprocessedKeys: left.length === 0 ? {} : { [table]: { ...request, Keys: left.map(toNative) } },
      }),
    };
  }

  #batchWrite(input: BatchWriteItemInput, by: Caller, isLeft: (index: number) => boolean): Served {
    const [table, requests] = only(input.RequestItems);
    if (requests.length === 0 || requests.length > 25) throw new Error(`BatchWriteItem of ${requests.length} items`);
    const items = requests.map(({ PutRequest }) => PutRequest?.Item ?? {});
    assertDistinct(items.map(keyOf));
    for (const item of items) assertFits(item);
    const left = items.filter((_, i) => isLeft(i));
    return {
      steps: items.filter((item) => !left.includes(item)).map((item) => () => this.write(keyOf(item), item, by)),
      finish: () => ({
        UnprocessedItems:
          left.length === 0 ? {} : { [table]: left.map((item) => ({ PutRequest: { Item: toNative(item) } })) },
      }),
    };
  }

  #check(key: Key, input: PutItemInput | UpdateItemInput): void {
    if (input.ConditionExpression === undefined) return;
    const item = this.read(key);
    if (holds(expressionOf(input.ConditionExpression, input), item)) return;
    const isTold = input.ReturnValuesOnConditionCheckFailure === 'ALL_OLD' && item !== undefined;
    throw new ConditionalCheckFailedException({
      message: 'The conditional request failed',
      $metadata: {},
      ...(isTold && { Item: item }),
    });
  }
}

/** True for the items of the limiter's store, which reads attributes as they are; all others go through a document client. */
function isRaw({ pk }: Key): boolean {
  return pk.startsWith('rate#');
}

function one(step: () => object): Served {
  let output: object = {};
  return {
    steps: [
      () => {
        output = step();
      },
    ],
    finish: () => output,
  };
}

function only<T>(record: Record<string, T> | undefined): [string, T] {
  const [entry, ...others] = Object.entries(record ?? {});
  if (entry === undefined || others.length > 0) throw new Error('exactly one table was expected');
  return entry;
}

function keyOf(item: Item | undefined): Key {
  const [pk, sk] = [item?.pk?.S, item?.sk?.S];
  if (pk === undefined || sk === undefined) throw new Error('a key was expected');
  return { pk, sk };
}

function assertDistinct(keys: readonly Key[]): void {
  if (new Set(keys.map(({ pk, sk }) => `${pk}\n${sk}`)).size < keys.length) throw new Error('a batch repeats a key');
}

function assertConsistent(consistent: boolean | undefined): void {
  if (consistent !== true) throw new Error('Usher decides on consistent reads only');
}

function entryOf(item: Item, name: string): [string, AttributeValue][] {
  const value = item[name];
  return value === undefined ? [] : [[name, value]];
}

function expressionOf(
  text: string,
  input: Pick<UpdateItemInput, 'ExpressionAttributeNames' | 'ExpressionAttributeValues'>,
): Expression {
  assertExpression(text);
  return { text, names: input.ExpressionAttributeNames ?? {}, values: input.ExpressionAttributeValues ?? {} };
}

/** Attribute values as lib-dynamodb hands them out. */
export function toNative(item: Item): Record<string, unknown> {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name, nativeOf(value)]));
}

function nativeOf(value: AttributeValue): unknown {
  if (value.S !== undefined) return value.S;
  if (value.N !== undefined) return Number(value.N);
  if (value.B !== undefined) return value.B;
  if (value.BOOL !== undefined) return value.BOOL;
  if (value.L !== undefined) return value.L.map(nativeOf);
  if (value.M !== undefined) return toNative(value.M);
  return null;
}
