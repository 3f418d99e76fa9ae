import type { Faults } from './process-faults.ts';
import { type RecordedIntake, recordedIntake } from './recorded-intake.ts';
import type { World } from './world.ts';

/** An intake that takes any body, and whose log and counts can be read. */
export interface OpenIntake extends Pick<RecordedIntake, 'logged' | 'counts'> {
  /** Sends a body as `POST /v1/bookings`: text as it is, anything else as JSON. */
  post(accountId: string, key: string, body: unknown): Promise<Response>;
  get(accountId: string, path: string): Promise<Response>;
}

/** Starts an intake process in a world. */
export function openIntake(world: World, faults: Faults = {}): OpenIntake {
  const { dynamoDb, sqs } = world.intake(faults).clients;
  const { app, logged, counts } = recordedIntake({
    dynamoDb,
    sqs,
    clock: world.clock,
    bookingsQueueUrl: world.queues.bookings.url,
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
