import { afterAll, beforeAll, describe } from 'vitest';
import { limitStoreConformance } from '../limiter/conformance.ts';
import { dynamoDb } from './dynamodb.ts';
import { dynaliteTable, fakeTable, type TestTable } from './testing/tables.ts';

describe.each([
  { name: 'a table that brings the item of a failed condition', startTable: fakeTable, steps: 500 },
  { name: 'a table that brings none', startTable: dynaliteTable, steps: 100 },
])('on $name', ({ startTable, steps }) => {
  let table: TestTable;
  let serial = 0;
  beforeAll(async () => {
    table = await startTable();
  });
  afterAll(() => table.close());

  const make = (refusalCacheMs: number) => () => ({
    store: dynamoDb({ tableName: table.tableName, client: table.client(), prefix: `${serial++}/`, refusalCacheMs }),
  });
  limitStoreConformance('dynamoDb', make(0), { steps });
  limitStoreConformance('dynamoDb that remembers refusals', make(1000), { steps });
});
