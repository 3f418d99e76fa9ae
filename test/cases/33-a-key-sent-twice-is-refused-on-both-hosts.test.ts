import { readFileSync } from 'node:fs';
import { Problem } from '@usher/contracts';
import { expect, test } from 'vitest';
import { loadHandler } from '../support/lambda-intake.ts';
import { messagesIn } from '../support/read-back.ts';
import { twoHosts } from '../support/two-hosts.ts';
import { startWorld } from '../support/world.ts';

/** The event of a submission whose Idempotency-Key came twice, as API Gateway joins it. */
const event: unknown = JSON.parse(readFileSync(new URL('inputs/lambda-event.json', import.meta.url), 'utf8'));

test('case 33: the Lambda refuses the event, and nothing is booked', async () => {
  const world = await startWorld();
  const invoke = await loadHandler(world);
  const { status, headers, body } = await invoke(event);
  expect(status).toBe(400);
  expect(Problem.assert(JSON.parse(body))).toMatchObject({ type: '/problems/invalid-idempotency-key', requestId: 'r' });
  expect(headers['x-request-id']).toBe('r');
  expect(await messagesIn(world.clients, world.queues.bookings.url)).toBe(0);
});

test('case 33: so does Node, which joins the two headers itself', async () => {
  const hosts = await twoHosts();
  const request = {
    method: 'POST',
    target: '/v1/bookings',
    headers: [
      ['Authorization', 'Bearer dev:lam'],
      ['Content-Type', 'application/json'],
      ['Idempotency-Key', 'dup-1'],
      ['Idempotency-Key', 'dup-1'],
    ] as const,
    body: '{"reservations":[{"id":"L-1","cost":2}]}',
  };
  for (const answer of [await hosts.local(request), await hosts.lambda(request)]) {
    expect(answer).toMatchObject({ status: 400, problem: 'invalid-idempotency-key' });
  }
  expect(hosts.written).toEqual([]);
  // Once, the very same key is taken, and sent again it is the same booking.
  const once = { ...request, headers: request.headers.slice(0, 3) };
  const [first, again] = [await hosts.local(once), await hosts.lambda(once)];
  expect([first.status, again.text]).toEqual([202, first.text]);
});
