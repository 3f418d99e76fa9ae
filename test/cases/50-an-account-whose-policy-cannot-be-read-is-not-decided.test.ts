import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { Problem } from '@usher/contracts';
import { keys } from '@usher/limiter-core/bulk/dynamodb';
import { tableName } from '@usher/local-stack';
import { expect, test } from 'vitest';
import { book } from '../support/case.ts';
import { openIntake } from '../support/open-intake.ts';
import { startWorld, type World } from '../support/world.ts';

const unreadable = {
  'a limit beside the policy': { dailyLimit: 0 },
  'no policy at all': {},
  'a policy of null': { policy: null },
  'a policy that is text': { policy: '{"dailyLimit":0}' },
  'a policy that is a list': { policy: [] },
  'a misspelt field': { policy: { dailyLimt: 0 } },
  'a misspelt name of the policy': { Policy: { dailyLimit: 0 } },
  'a field beside the policy': { policy: {}, dailyLimit: 0 },
  'a limit that is text': { policy: { dailyLimit: '0' } },
  'a zone that windows cannot be made of': { policy: { timezone: 'PST' } },
};

async function putPolicy({ clients }: World, accountId: string, item: object): Promise<void> {
  await clients.dynamoDb.send(new PutCommand({ TableName: tableName, Item: { ...keys.policy(accountId), ...item } }));
}

test.each(Object.entries(unreadable))('case 50: an account with %s is not decided by the default', async (_, item) => {
  const world = await startWorld();
  const waiting = await book(world, 'ada', 'before', [1]);
  await book(world, 'bob', 'beside', [1]);
  await putPolicy(world, 'ada', item);
  const intake = openIntake(world);
  const answer = await intake.post('ada', 'after', { reservations: [{ id: 'A' }] });
  expect([answer.status, Problem.assert(await answer.json()).type]).toEqual([503, '/problems/unavailable']);
  expect(intake.logged).toContainEqual(
    expect.objectContaining({ level: 'error', fields: expect.objectContaining({ accountId: 'ada' }) }),
  );
  expect(intake.counts.get('UnreadableItems')).toBe(1);
  // Her chunk waits, and nobody else's does.
  const delivery = await world.worker().settle();
  expect(delivery).toMatchObject({ received: { length: 2 }, handedBack: { length: 1 } });
  // Once it is mended she is decided by what she has, as ever.
  await putPolicy(world, 'ada', { policy: { dailyLimit: 0 } });
  world.clock.advance(24 * 3_600_000);
  expect(await world.worker().settle()).toMatchObject({ received: { length: 1 }, handedBack: [] });
  const status = await world.intake().get('ada', `/v1/bookings/${waiting.bookingId}`);
  expect(await (status as Response).json()).toMatchObject({ counts: { granted: 0, rejected: 1 } });
});

test('case 50: an empty policy overrides nothing, and no item is the default', async () => {
  const world = await startWorld();
  await putPolicy(world, 'ada', { policy: {} });
  for (const accountId of ['ada', 'bob']) await book(world, accountId, 'key', [1]);
  expect(await world.worker().settle()).toMatchObject({ received: { length: 2 }, handedBack: [] });
});
