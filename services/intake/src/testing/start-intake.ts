import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { builtInPolicy, type VirtualClock, virtualClock } from '@usher/limiter-core/bulk';
import { type LogEntry, recordingLog, recordingMeter } from '@usher/service/testing';
import { onTestFinished } from 'vitest';
import { type Authenticate, callerOf } from '../caller.ts';
import type { IntakeConfig } from '../config.ts';
import { createIntake } from '../create-intake.ts';
import { defaultSubmissionRate } from '../submission-limit.ts';
import { startTable, type TestTable, tableName } from './dynalite-table.ts';
import { type ScriptedQueue, scriptedQueue } from './scripted-queue.ts';

/** A fault of one request to DynamoDB: it never arrives, or it is carried out and its reply is lost. */
export type Fault = 'refused' | 'reply lost';
export type FaultScript = (command: string, input: object) => Fault | undefined;

/** The HTTP API on a real table and a scripted queue, at a time of the test's choosing. */
export interface TestIntake {
  readonly table: TestTable;
  readonly queue: ScriptedQueue;
  readonly clock: VirtualClock;
  /** Sums by metric. */
  readonly counts: Map<string, number>;
  readonly logged: LogEntry[];
  /** Every request that reached DynamoDB. */
  readonly requests: string[];
  fault(script: FaultScript): void;
  fetch(path: string, init?: RequestInit & { account?: string }): Promise<Response>;
  /** Submits a booking; the body is sent as it is where it is text, else as JSON. */
  submit(body: unknown, options?: { key?: string | null; account?: string; headers?: object }): Promise<Response>;
}

export const noon = '2026-11-29T12:00:00.000Z';

/** `Bearer <account>`; no header is no caller. */
const testCaller: Authenticate = (c) => {
  const [scheme, account] = c.req.header('authorization')?.split(' ') ?? [];
  return scheme === 'Bearer' ? callerOf(account) : 'unauthenticated';
};

export async function startIntake(config: Partial<IntakeConfig> = {}): Promise<TestIntake> {
  const table = await startTable();
  onTestFinished(table.close);
  const queue = scriptedQueue();
  const clock = virtualClock(noon);
  const counts = new Map<string, number>();
  const logged: TestIntake['logged'] = [];
  const requests: string[] = [];
  let faults: FaultScript = () => undefined;
  injectFaults(table.client, requests, (command, input) => faults(command, input));
  let attempts = 0;
  const app = createIntake({
    config: {
      tableName,
      bookingsQueueUrl: 'http://127.0.0.1/queue/bookings.fifo',
      defaultPolicy: builtInPolicy,
      submission: defaultSubmissionRate,
      ...config,
    },
    dynamoDb: table.client,
    sqs: queue.sqs,
    authenticate: testCaller,
    clock,
    randomId: () => `attempt-${++attempts}`,
    retry: { sleep: async () => undefined, random: () => 0 },
    log: recordingLog(logged),
    meter: recordingMeter(counts),
  });
  const fetch: TestIntake['fetch'] = async (path, { account = 'acme', headers, ...init } = {}) =>
    app.request(path, { ...init, headers: { authorization: `Bearer ${account}`, ...headers } });
  return {
    table,
    queue,
    clock,
    counts,
    logged,
    requests,
    fault: (script) => {
      faults = script;
    },
    fetch,
    submit: (body, { key = 'key-1', account = 'acme', headers = {} } = {}) =>
      fetch('/v1/bookings', {
        method: 'POST',
        account,
        headers: {
          'content-type': 'application/json',
          ...(key === null ? {} : { 'idempotency-key': key }),
          ...headers,
        },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  };
}

// Behind the SDK's own retry, as a network would be: what fails here, the client tries again.
function injectFaults(client: DynamoDBDocumentClient, requests: string[], script: FaultScript): void {
  client.middlewareStack.add(
    (next, context) => async (args) => {
      const command = context.commandName ?? '';
      requests.push(command);
      const fault = script(command, args.input);
      if (fault === 'refused') throw connectionReset();
      if (fault === undefined) return next(args);
      await next(args).catch(() => undefined);
      throw connectionReset();
    },
    { step: 'finalizeRequest', priority: 'low', name: 'testFaults' },
  );
}

function connectionReset(): Error {
  return Object.assign(new Error('read ECONNRESET'), { name: 'TimeoutError', code: 'ECONNRESET' });
}

/** Rows `r0`, `r1` … of cost 1. */
export function rows(count: number): { id: string }[] {
  return Array.from({ length: count }, (_, row) => ({ id: `r${row}` }));
}

/** A booking of two rows. */
export const booking = { reservations: [{ id: 'A-17', cost: 2, details: { flight: 'LH 400' } }, { id: 'A-18' }] };
