import { Agent } from 'node:http';
import { DynamoDB } from '@aws-sdk/client-dynamodb';
import { localClientConfig } from '@usher/loopback';

/** The number of sockets: above any contender's calls in flight, so that none waits for one. */
const maxSockets = 128;

/** A client with the settings that all contenders share; each has one of its own, so that each can be metered. */
export function newClient(endpoint: string): DynamoDB {
  return new DynamoDB({
    ...localClientConfig(endpoint),
    requestHandler: { httpAgent: new Agent({ keepAlive: true, maxSockets }) },
  });
}
