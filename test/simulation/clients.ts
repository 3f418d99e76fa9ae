import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { SQSClient } from '@aws-sdk/client-sqs';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { localClientConfig } from '@usher/loopback';
import { type Clients, clientDefaults } from '@usher/worker';
import type { Process } from './process.ts';

/** Carries one request of a process to a service; rejects as the SDK's transport would. */
export type Send = (process: Process, command: string, input: object) => Promise<object>;

/** The current user of a set of clients, and its network. */
interface Owner {
  readonly process: Process;
  readonly send: Send;
}

/**
 * Real SDK clients on a simulated network. Marshalling, middleware and the retry loop are the SDK's own: each attempt
 * arrives here below it. Left out is what only a real network needs (signing, the HTTP bytes), and the retry strategy's
 * timer, which waits in virtual time.
 */
export class ClientSet {
  readonly clients: Clients;
  #owner: Owner | undefined;

  constructor() {
    const settings = {
      ...localClientConfig('http://127.0.0.1:1'),
      maxAttempts: clientDefaults.maxAttempts,
      retryStrategy: new VirtualRetries(clientDefaults.maxAttempts, () => this.#owner),
    };
    const dynamoDb = DynamoDBDocumentClient.from(new DynamoDBClient(settings));
    const sqs = new SQSClient({ ...settings, md5: false });
    const eventBridge = new EventBridgeClient(settings);
    for (const name of realNetworkOnly) {
      dynamoDb.middlewareStack.remove(name);
      sqs.middlewareStack.remove(name);
      eventBridge.middlewareStack.remove(name);
    }
    const network = { step: 'finalizeRequest', priority: 'low', name: 'simulatedNetwork' } as const;
    dynamoDb.middlewareStack.add(
      (_, { commandName }) =>
        ({ input }) =>
          this.#send(commandName, input),
      network,
    );
    sqs.middlewareStack.add(
      (_, { commandName }) =>
        ({ input }) =>
          this.#send(commandName, input),
      network,
    );
    eventBridge.middlewareStack.add(
      (_, { commandName }) =>
        ({ input }) =>
          this.#send(commandName, input),
      network,
    );
    this.clients = { dynamoDb, sqs, eventBridge };
  }

  /** Gives the clients to a process. What another one still waits for on them never arrives, for it is dead. */
  handTo(owner: Owner): Clients {
    this.#owner = owner;
    return this.clients;
  }

  async #send(command: unknown, input: object): Promise<{ response: object; output: { $metadata: object } }> {
    if (this.#owner === undefined) throw new Error('these clients belong to no process');
    const { process, send } = this.#owner;
    const output = await send(process, String(command).replace(/Command$/, ''), input);
    return { response: {}, output: { ...output, $metadata: {} } };
  }
}

const realNetworkOnly = [
  'httpSigningMiddleware',
  'httpAuthSchemeMiddleware',
  'getUserAgentMiddleware',
  'loggerMiddleware',
  'hostHeaderMiddleware',
  'recursionDetectionMiddleware',
];

interface RetryToken {
  getRetryCount(): number;
  getRetryDelay(): number;
}

/** The SDK's standard mode (what is retried, how often, how long between), but for the clock that it waits by. */
class VirtualRetries {
  readonly #maxAttempts: number;
  readonly #owner: () => Owner | undefined;

  constructor(maxAttempts: number, owner: () => Owner | undefined) {
    this.#maxAttempts = maxAttempts;
    this.#owner = owner;
  }

  async acquireInitialRetryToken(): Promise<RetryToken> {
    return tokenOf(0);
  }

  async refreshRetryTokenForRetry(token: RetryToken, { errorType }: { errorType: string }): Promise<RetryToken> {
    const attempt = token.getRetryCount() + 1;
    const isRetryable = errorType === 'THROTTLING' || errorType === 'TRANSIENT';
    if (!isRetryable || attempt >= this.#maxAttempts) throw new Error('No retry token available');
    await this.#owner()?.process.backOff(attempt - 1, errorType === 'THROTTLING' ? 1000 : 50);
    return tokenOf(attempt);
  }

  recordSuccess(): void {}
}

function tokenOf(count: number): RetryToken {
  return { getRetryCount: () => count, getRetryDelay: () => 0 };
}
