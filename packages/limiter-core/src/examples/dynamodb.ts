import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { dynamoDb } from '../dynamodb/index.ts';
import { createLimiter, tokenBucket } from '../index.ts';

const limiter = createLimiter({
  name: 'api',
  strategy: tokenBucket({ capacity: 10, refillPerSecond: 0.001 }),
  // Patient, for this example. Left out: a client that tries twice within the limiter's deadline of 250 ms.
  store: dynamoDb({ tableName: 'limits', client: new DynamoDBClient({ maxAttempts: 3 }) }),
  deadlineMs: 10_000,
});

// 20 at once, on one key: exactly ten are let in.
const decisions = await Promise.all(Array.from({ length: 20 }, () => limiter.check('ada')));
console.log(decisions.filter(({ allowed }) => allowed).length);
