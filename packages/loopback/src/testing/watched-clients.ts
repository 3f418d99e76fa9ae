import fs from 'node:fs';
import { createServer } from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import type { AddressInfo } from 'node:net';
import { basename } from 'node:path';

/**
 * A program: sends one request with a client of each kind, configured as its argument says, and prints what they looked
 * up meanwhile. Files and variables are watched from before the SDK is loaded.
 */
const config = process.argv[2];
const filesRead: string[] = [];
const variablesRead = new Set<string>();
const readFile = fs.promises.readFile;
fs.promises.readFile = new Proxy(readFile, {
  apply: (target, self, args) => {
    filesRead.push(basename(String(args[0])));
    return Reflect.apply(target, self, args);
  },
});
syncBuiltinESMExports();
process.env = new Proxy(process.env, {
  get: (target, name) => {
    if (String(name).startsWith('AWS_')) variablesRead.add(String(name));
    return Reflect.get(target, name);
  },
  has: (target, name) => {
    if (String(name).startsWith('AWS_')) variablesRead.add(String(name));
    return Reflect.has(target, name);
  },
});

const { DynamoDBClient, ListTablesCommand } = await import('@aws-sdk/client-dynamodb');
const { EventBridgeClient, ListEventBusesCommand } = await import('@aws-sdk/client-eventbridge');
const { ListQueuesCommand, SQSClient } = await import('@aws-sdk/client-sqs');
const { localClientConfig } = await import('../client-config.ts');

let requests = 0;
const server = createServer((request, response) => {
  requests += 1;
  request.resume().on('end', () => {
    response.setHeader('content-type', 'application/x-amz-json-1.0');
    response.end('{}');
  });
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const little = { endpoint, region: 'eu-central-1', credentials: { accessKeyId: 'a', secretAccessKey: 'b' } };
const settings = config === 'local' ? localClientConfig(endpoint) : little;
const calls = [
  () => new DynamoDBClient(settings).send(new ListTablesCommand({})),
  () => new EventBridgeClient(settings).send(new ListEventBusesCommand({})),
  () => new SQSClient(settings).send(new ListQueuesCommand({})),
];
for (const call of calls) {
  if (config === 'local') await call();
  else await call().catch(() => undefined);
}
process.stdout.write(JSON.stringify({ filesRead, variablesRead: [...variablesRead].sort(), requests }));
process.exit(0);
