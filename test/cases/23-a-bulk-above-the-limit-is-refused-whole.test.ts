import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { Problem } from '@usher/contracts';
import { tableName } from '@usher/local-stack';
import { expect, test } from 'vitest';
import { openIntake } from '../support/open-intake.ts';
import { messagesIn } from '../support/read-back.ts';
import { startWorld } from '../support/world.ts';

test.each([32_000, 10_001])(
  'case 23: a bulk of %i rows gets a clear 422 naming the limit, and nothing of it is taken',
  async (rows) => {
    const world = await startWorld();
    const reservations = Array.from({ length: rows }, (_, n) => ({ id: `r${n}` }));
    const answer = await openIntake(world).post('ada', 'bulk', { reservations });
    expect(answer.status).toBe(422);
    const { errors } = Problem.assert(await answer.json());
    expect(errors).toEqual([{ pointer: '/reservations', detail: expect.stringContaining('10000') }]);

    const { Items } = await world.clients.dynamoDb.send(new ScanCommand({ TableName: tableName }));
    expect(Items).toEqual([]);
    expect(await messagesIn(world.clients, world.queues.bookings.url)).toBe(0);
  },
);

test('case 23: 10,000 rows are taken', async () => {
  const world = await startWorld();
  const reservations = Array.from({ length: 10_000 }, (_, n) => ({ id: `r${n}` }));
  expect(await openIntake(world).post('ada', 'bulk', { reservations })).toMatchObject({ status: 202 });
  expect(await messagesIn(world.clients, world.queues.bookings.url)).toBe(100);
});
