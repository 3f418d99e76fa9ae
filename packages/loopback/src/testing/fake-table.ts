import type { TableKeys } from '../create-table.ts';

type Item = Readonly<Record<string, object>>;
type Done<T> = (error: Error | null, value?: T) => void;

/**
 * Tables in memory as dynalite's operations use them, but each answers before the call returns: so an operation is one step,
 * and runs of a simulation are alike.
 */
export function fakeTables(tables: readonly TableKeys[]) {
  const contents = new Map(tables.map(({ tableName }) => [tableName, itemDb()]));
  return {
    options: { maxItemSize: maxItemBytes },
    getTable: (name: string, done: Done<object>): void => {
      const keys = tables.find(({ tableName }) => tableName === name);
      if (keys === undefined) done(tableNotFound());
      else done(null, described(keys));
    },
    getItemDb: (name: string) => contents.get(name),
  };
}

const maxItemBytes = 400 * 1024;

function itemDb() {
  const items = new Map<string, Item>();
  return {
    // Nothing comes in between, so nothing has to be locked.
    lock: (_key: string, locked: (release: <T>(then: T) => T) => void): void => locked((then) => then),
    get: (key: string, done: Done<Item>): void => {
      const item = items.get(key);
      if (item === undefined) done(Object.assign(new Error('There is no such item'), { name: 'NotFoundError' }));
      else done(null, item);
    },
    put: (key: string, item: Item, done: Done<undefined>): void => {
      items.set(key, item);
      done(null);
    },
    del: (key: string, done: Done<undefined>): void => {
      items.delete(key);
      done(null);
    },
  };
}

function described({ tableName, partitionKey, sortKey }: TableKeys) {
  const names = [partitionKey, sortKey].filter((name) => name !== undefined);
  return {
    TableName: tableName,
    TableStatus: 'ACTIVE',
    AttributeDefinitions: names.map((AttributeName) => ({ AttributeName, AttributeType: 'S' })),
    KeySchema: names.map((AttributeName, i) => ({ AttributeName, KeyType: i === 0 ? 'HASH' : 'RANGE' })),
  };
}

function tableNotFound(): Error {
  const body = {
    __type: 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException',
    message: 'There is no such table',
  };
  return Object.assign(new Error(body.message), { statusCode: 400, body });
}
