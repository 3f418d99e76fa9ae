import { callerOf, createIntake, defaultSubmissionRate, type IntakeMetric } from '@usher/intake';
import { builtInPolicy } from '@usher/limiter-core';
import { tableName } from '@usher/local-stack';
import { recordingMeter } from '@usher/service/testing';
import { instantRetry } from './process.ts';
import type { Faults } from './process-faults.ts';
import type { World } from './world.ts';

/** An intake that takes any body, and whose log and counts can be read. */
export interface OpenIntake {
  /** Sends a body as `POST /v1/bookings`: text as it is, anything else as JSON. */
  post(accountId: string, key: string, body: unknown): Promise<Response>;
  get(accountId: string, path: string): Promise<Response>;
  readonly logged: readonly { readonly level: string; readonly message: string; readonly fields: object }[];
  readonly counts: ReadonlyMap<IntakeMetric, number>;
}

let attempts = 0;

/** Starts an intake process in a world. */
export function openIntake(world: World, faults: Faults = {}): OpenIntake {
  const logged: { level: string; message: string; fields: object }[] = [];
  const counts = new Map<IntakeMetric, number>();
  const log = (level: string) => (message: string, fields: object) => void logged.push({ level, message, fields });
  const app = createIntake({
    config: {
      tableName,
      bookingsQueueUrl: world.queues.bookings.url,
      defaultPolicy: builtInPolicy,
      submission: defaultSubmissionRate,
    },
    ...world.intake(faults).clients,
    authenticate: (context) => callerOf(context.req.header('Authorization')),
    clock: world.clock,
    randomId: () => `open-${++attempts}`,
    retry: instantRetry,
    log: { info: log('info'), warn: log('warn'), error: log('error') },
    meter: recordingMeter(counts),
  });
  const post: OpenIntake['post'] = async (accountId, key, body) =>
    app.request('/v1/bookings', {
      method: 'POST',
      headers: { Authorization: accountId, 'Content-Type': 'application/json', 'Idempotency-Key': key },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    });
  const get: OpenIntake['get'] = async (accountId, path) =>
    app.request(path, { headers: { Authorization: accountId } });
  return { post, get, logged, counts };
}
