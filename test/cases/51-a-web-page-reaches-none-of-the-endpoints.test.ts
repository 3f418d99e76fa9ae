import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { tableName } from '@usher/local-stack';
import { expect, test } from 'vitest';
import { startWorld } from '../support/world.ts';

const targets = {
  dynamoDbUrl: 'DynamoDB_20120810.ListTables',
  sqsUrl: 'AmazonSQS.ListQueues',
  eventBridgeUrl: 'AWSEvents.DescribeEventBus',
} as const;
const names = ['dynamoDbUrl', 'sqsUrl', 'eventBridgeUrl'] as const;

const authorization =
  'AWS4-HMAC-SHA256 Credential=local/20261129/eu/dynamodb/aws4_request, SignedHeaders=host, Signature=0';

function post(url: string, target: string, body: string, headers: Record<string, string> = {}): Promise<Response> {
  const sent = {
    'X-Amz-Target': target,
    'X-Amz-Date': '20261129T120000Z',
    Authorization: authorization,
    'Content-Type': 'application/x-amz-json-1.0',
    ...headers,
  };
  return fetch(url, { method: 'POST', headers: sent, body });
}

test.each(names)('case 51: %s answers no request of a page, and lets no page read an answer', async (name) => {
  const { endpoints } = await startWorld({});
  const url = endpoints[name];
  expect((await post(url, targets[name], '{}')).status).toBe(200);
  for (const headers of [{ Origin: 'https://page.example' }, { Origin: 'null' }, { 'Sec-Fetch-Site': 'cross-site' }]) {
    const refused = await post(url, targets[name], '{}', headers);
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain('AccessDeniedException');
    expect(refused.headers.get('access-control-allow-origin')).toBeNull();
  }
  const preflight = await fetch(url, {
    method: 'OPTIONS',
    headers: { Origin: 'https://page.example', 'Access-Control-Request-Method': 'POST' },
  });
  expect(preflight.status).toBe(403);
  expect([...preflight.headers.keys()].filter((header) => header.startsWith('access-control'))).toEqual([]);
});

test('case 51: a page raises no limit', async () => {
  const { endpoints, clients } = await startWorld({ ada: { dailyLimit: 1 } });
  const Key = { pk: { S: 'policy#ada' }, sk: { S: 'current' } };
  const before = await clients.dynamoDb.send(new GetItemCommand({ TableName: tableName, Key }));
  const raised = { TableName: tableName, Item: { ...Key, policy: { M: { dailyLimit: { N: '1000000' } } } } };
  const page = { Origin: 'http://127.0.0.1:8787', 'Content-Type': 'application/json' };
  const refused = await post(endpoints.dynamoDbUrl, 'DynamoDB_20120810.PutItem', JSON.stringify(raised), page);
  expect(refused.status).toBe(403);
  expect((await clients.dynamoDb.send(new GetItemCommand({ TableName: tableName, Key }))).Item).toEqual(before.Item);
});

/** Bodies that are JSON and no request, or name what every JavaScript object has. */
const oddities = [
  'null',
  'true',
  '0',
  '""',
  '[]',
  '[null]',
  '{',
  '',
  '{"TableName":null}',
  '{"TableName":{}}',
  '{"TableName":"__proto__","Key":{"pk":{"S":"a"}}}',
  '{"TableName":"usher","Key":null}',
  '{"TableName":"usher","Key":{"pk":null,"sk":null}}',
  '{"TableName":"usher","Key":{"pk":{"S":"a"},"sk":{"S":"b"}},"UpdateExpression":"SET","Item":[],"RequestItems":{"usher":null}}',
  '{"TableName":"usher","Item":{"pk":{"S":"a"},"sk":{"S":"b"},"__proto__":{"N":"1e999"}}}',
  '{"RequestItems":{"__proto__":[{"PutRequest":null}],"usher":[{}]}}',
  '{"QueueUrl":null,"Entries":[null]}',
  '{"Entries":null}',
];
const operations = {
  dynamoDbUrl: ['ListTables', 'GetItem', 'PutItem', 'UpdateItem', 'Query', 'Scan', 'BatchWriteItem', 'CreateTable'],
  sqsUrl: ['ListQueues', 'SendMessage', 'SendMessageBatch', 'ReceiveMessage', 'CreateQueue'],
  eventBridgeUrl: ['PutEvents', 'PutRule', 'PutTargets', 'DescribeEventBus'],
} as const;

test.each(names)('case 51: %s outlives every body that is no request', async (name) => {
  const { endpoints, clients } = await startWorld({});
  const [prefix] = targets[name].split('.');
  for (const operation of operations[name]) {
    for (const body of oddities) {
      const answer = await post(endpoints[name], `${prefix}.${operation}`, body);
      const text = await answer.text();
      expect([200, 400].includes(answer.status), `${operation} ${body}: ${answer.status} ${text}`).toBe(true);
    }
  }
  const Item = { pk: { S: 'still' }, sk: { S: 'here' } };
  await clients.dynamoDb.send(new PutItemCommand({ TableName: tableName, Item }));
});
