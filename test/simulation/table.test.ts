import { expect, test } from 'vitest';
import { answerBytes, maxExpressionBytes, maxItemBytes } from './sizes.ts';
import { type Caller, Table } from './table.ts';

// The table refuses what DynamoDB refuses, so that a product that asks for too much is seen here and not on AWS.

const caller: Caller = { name: 'test', defaultPolicy: undefined as never, policiesRead: new Map(), skewMs: 0 };

function tableOf(queryBytes: number = answerBytes.query): Table {
  const nothing = (): void => undefined;
  const { batchGet: batchGetBytes } = answerBytes;
  return new Table({
    now: () => 0,
    ttlDelayMs: () => 0,
    queryBytes,
    batchGetBytes,
    onDelete: nothing,
    onWrite: nothing,
  });
}

/** Does all steps of a call at one instant. */
function call(table: Table, command: string, input: object): object {
  const { steps, finish } = table.serve(command, input, caller, () => false);
  for (const step of steps) step();
  return finish();
}

const itemOf = (sk: string, bytes: number): object => ({
  pk: { S: 'p' },
  sk: { S: sk },
  // Names and values count: `pk`, `p`, `sk` and the name `text` itself.
  text: { S: 'x'.repeat(bytes - 9 - sk.length) },
});

test('an item of exactly 400 KB is kept, one byte more is refused', () => {
  const table = tableOf();
  expect(call(table, 'PutItem', { Item: itemOf('a', maxItemBytes) })).toEqual({});
  expect(() => call(table, 'PutItem', { Item: itemOf('b', maxItemBytes + 1) })).toThrow('Item size');
  const requests = [{ PutRequest: { Item: itemOf('b', maxItemBytes + 1) } }];
  expect(() => call(table, 'BatchWriteItem', { RequestItems: { t: requests } })).toThrow('Item size');
  expect(table.read({ pk: 'p', sk: 'b' })).toBeUndefined();
});

test('an expression of more than 4 KB is refused and changes nothing', () => {
  const table = tableOf();
  const updateOf = (length: number): object => ({
    Key: { pk: { S: 'p' }, sk: { S: 'a' } },
    UpdateExpression: `SET v = :v${' '.repeat(length - 'SET v = :v'.length)}`,
    ExpressionAttributeValues: { ':v': { N: '1' } },
  });
  expect(() => call(table, 'UpdateItem', updateOf(maxExpressionBytes + 1))).toThrow('Expression size');
  expect(table.read({ pk: 'p', sk: 'a' })).toBeUndefined();
  expect(call(table, 'UpdateItem', updateOf(maxExpressionBytes))).toEqual({});
});

test('a Query ends its page with the item that fills it, and goes on behind it, to an empty page at the end', () => {
  const table = tableOf(200);
  for (const sk of ['a', 'b', 'c', 'd']) call(table, 'PutItem', { Item: itemOf(sk, 100) });
  const pages: string[][] = [];
  let start: object | undefined;
  do {
    const page = call(table, 'Query', {
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: 'p' } },
      ConsistentRead: true,
      ...(start === undefined ? {} : { ExclusiveStartKey: start }),
    }) as { Items: { sk: string }[]; LastEvaluatedKey?: { pk: string; sk: string } };
    pages.push(page.Items.map(({ sk }) => sk));
    const last = page.LastEvaluatedKey;
    start = last === undefined ? undefined : { pk: { S: last.pk }, sk: { S: last.sk } };
  } while (start !== undefined);
  expect(pages).toEqual([['a', 'b'], ['c', 'd'], []]);
});

test('a BatchGetItem leaves what does not fit its 16 MB to be asked for again', () => {
  const table = tableOf();
  const keys = Array.from({ length: 50 }, (_, i) => ({ pk: { S: 'p' }, sk: { S: `k${i}` } }));
  for (const { sk } of keys) call(table, 'PutItem', { Item: itemOf(sk.S, maxItemBytes) });
  const { Responses, UnprocessedKeys } = call(table, 'BatchGetItem', {
    RequestItems: { t: { Keys: keys, ConsistentRead: true } },
  }) as { Responses: { t: object[] }; UnprocessedKeys: { t: { Keys: object[] } } };
  expect(Responses.t).toHaveLength(40);
  expect(UnprocessedKeys.t.Keys).toHaveLength(10);
});
