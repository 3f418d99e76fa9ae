import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { BookingList, BookingStatus, bookingKeyOf } from '@usher/contracts';
import { intakeMetrics } from '@usher/intake';
import { keys } from '@usher/limiter-core/bulk/dynamodb';
import { tableName } from '@usher/local-stack';
import { expect, test } from 'vitest';
import { book, settleAll } from '../support/case.ts';
import { openIntake } from '../support/open-intake.ts';
import { startWorld, type World } from '../support/world.ts';

async function damage({ clients }: World, key: { pk: string; sk: string }, attribute: string): Promise<void> {
  await clients.dynamoDb.send(
    new UpdateCommand({
      TableName: tableName,
      Key: { ...key },
      UpdateExpression: 'SET #attribute = :value',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeNames: { '#attribute': attribute },
      ExpressionAttributeValues: { ':value': 'damaged' },
    }),
  );
}

test('case 56: one corrupt header of an account leaves the others in its list, and is told', async () => {
  const world = await startWorld();
  const ids: string[] = [];
  for (const key of ['first', 'second', 'third']) {
    ids.push((await book(world, 'ada', key, [1])).bookingId);
    world.clock.advance(1000);
  }
  await settleAll(world);
  const [first, second = '', third] = ids;
  await damage(world, keys.header(bookingKeyOf(second)), 'window');

  const intake = openIntake(world);
  const { bookings } = BookingList.assert(await (await intake.get('ada', '/v1/bookings')).json());
  expect(bookings.map(({ bookingId }) => bookingId)).toEqual([third, first]);
  expect(intake.counts.get(intakeMetrics.unreadableItems)).toBe(1);
  const errors = intake.logged.filter(({ level }) => level === 'error');
  expect(errors).toMatchObject([{ fields: { accountId: 'ada', bookingId: second } }]);
});

test('case 56: one corrupt ledger item of a booking leaves its other rows on the page, and is told', async () => {
  const world = await startWorld();
  const { bookingId } = await book(world, 'ada', 'long', new Array(250).fill(1));
  await settleAll(world);
  await damage(world, keys.ledger({ bookingId, chunkIndex: 2 }), 'outcome');

  const intake = openIntake(world);
  const page = BookingStatus.assert(await (await intake.get('ada', `/v1/bookings/${bookingId}`)).json());
  expect(page).toMatchObject({ status: 'pending', counts: { granted: 200, pending: 50 }, nextCursor: '200' });
  expect(page.reservations.length).toBe(200);
  const errors = intake.logged.filter(({ level }) => level === 'error');
  expect(errors).toMatchObject([{ fields: { accountId: 'ada', bookingId } }]);
});
