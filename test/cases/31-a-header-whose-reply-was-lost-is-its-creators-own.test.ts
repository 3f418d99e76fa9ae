import { expect, test } from 'vitest';
import { expectBalance, expectNothingSetAside, finish } from '../support/books.ts';
import { acceptedBy } from '../support/case.ts';
import { at } from '../support/process-faults.ts';
import { startWorld } from '../support/world.ts';

const booking = { accountId: 'ada', key: 'lost', costs: [1, 2] };

test('case 31: the header is put, its reply lost, the SDK retries: its own creator gets 202, not 409', async () => {
  const world = await startWorld();
  const intake = world.intake(at('PutItem', 1, 'reply lost'));
  const { bookingId } = await acceptedBy(await intake.submit(booking));
  expect(intake.requests.filter((command) => command === 'PutItem')).toHaveLength(2);
  expectBalance(await finish(world), [{ ...booking, bookingId }]);
  await expectNothingSetAside(world);
});

test('case 31: another attempt at that moment is told 409, and the booking is one', async () => {
  const world = await startWorld();
  expect(await world.intake(at('PutItem', 1, 'crash after')).submit(booking)).toBe('crashed');
  expect(await world.intake().submit(booking)).toMatchObject({ status: 409 });
  world.clock.advance(30_000);
  const { bookingId } = await acceptedBy(await world.intake().submit(booking));
  expectBalance(await finish(world), [{ ...booking, bookingId }]);
});
