import { dynamoDb } from '@usher/limiter-core/dynamodb';
import { startDynalite } from '@usher/loopback/testing';
import { createHandler } from './create-handler.ts';

/** An event of an HTTP API: of a caller whose token its authorizer has verified, or of an address alone. */
function eventOf(rawPath: string, caller: string) {
  const isAddress = caller.includes('.');
  const claims = { iss: 'https://issuer.example', sub: caller };
  return {
    version: '2.0',
    rawPath,
    headers: { 'x-forwarded-for': '6.6.6.6' },
    requestContext: {
      http: { method: 'GET', path: rawPath, sourceIp: isAddress ? caller : '203.0.113.7' },
      ...(!isAddress && { authorizer: { jwt: { claims } } }),
    },
  };
}

const dynalite = await startDynalite({ tableName: 'limits', partitionKey: 'pk' });
const client = dynalite.client();
const handler = createHandler({
  store: dynamoDb({ tableName: 'limits', client }),
  failPolicy: process.env.FAIL_POLICY === 'closed' ? 'closed' : 'open',
  refillPerSecond: 0.0001, // so slow that this program does not see it refill
  deadlineMs: 60_000, // and patient, for a busy machine
});

async function call(path: string, caller: string): Promise<void> {
  const { statusCode, headers = {} } = await handler(eventOf(path, caller));
  console.log(path, caller, statusCode, headers.RateLimit?.split(';')[1] ?? '-', headers['Retry-After'] ?? '-');
}

console.log('path caller status remaining retry-after');
await call('/search', 'ada');
await call('/broken', 'ada');
await call('/search', 'ada');
await call('/things', 'ada');
await call('/things', 'bob');
await call('/things', '203.0.113.7');
await dynalite.close(); // the table is away: FAIL_POLICY decides
await call('/things', 'carol');
