import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { DynamoDbAccountStore, documentTranslation } from '../dynamodb/index.ts';
import { builtInPolicy, Settler, systemClock, usedAfter, windowAt } from '../index.ts';

// A table with the string keys pk and sk, and TTL on expiresAt. Set the client's attempts and timeouts: its defaults
// are longer than a queue consumer's time.
const dynamodb = new DynamoDBClient({ maxAttempts: 3, requestHandler: { requestTimeout: 2000 } });
const client = DynamoDBDocumentClient.from(dynamodb, documentTranslation);
const store = new DynamoDbAccountStore({ client, tableName: 'usher' });
const settler = new Settler({ store, defaultPolicy: builtInPolicy }); // one for the life of the process

const acceptedAtMs = systemClock();
const chunk = {
  bookingId: 'bk_1',
  chunkIndex: 0,
  digest: '0123456789abcdef0123456789abcdef',
  acceptedAtMs,
  date: windowAt(acceptedAtMs, builtInPolicy.timezone).date,
  bookingMode: 'all-or-nothing' as const,
  rows: [
    { id: 'A-1', cost: 300 },
    { id: 'A-2', cost: 400 },
  ],
};

for (const delivery of ['first', 'second']) {
  const [result] = await settler.settle('acme', [chunk]);
  if (result?.kind !== 'settled') throw new Error('not settled', { cause: result });
  console.log(`${delivery}: ${result.origin}, ${usedAfter(result.outcome)} of ${result.outcome.limit} used`);
}
