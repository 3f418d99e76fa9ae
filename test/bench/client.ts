import { Agent } from 'node:http';
import { DynamoDB } from '@aws-sdk/client-dynamodb';

/** More sockets than any contender has calls in flight, so that none waits for one. */
const maxSockets = 128;

/** A client with the settings that all contenders share; each has one of its own, so that each can be metered. */
export function newClient(endpoint: string): DynamoDB {
  return new DynamoDB({
    endpoint,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 3,
    requestHandler: { httpAgent: new Agent({ keepAlive: true, maxSockets }) },
  });
}
