import { defaultSubmissionRate } from '@usher/intake';
import { expect, test } from 'vitest';
import { openIntake } from '../support/open-intake.ts';
import { startWorld } from '../support/world.ts';

test('case 52: a clock a day ahead for one submission costs an account no more than an empty bucket', async () => {
  const world = await startWorld();
  const intake = openIntake(world);
  const statusOf = async (key: string): Promise<number> =>
    (await intake.post('ada', key, { reservations: [{ id: key }] })).status;
  world.clock.advance(86_400_000);
  expect(await statusOf('tomorrow')).toBe(202);
  world.clock.advance(-86_400_000);
  expect(await statusOf('back')).toBe(429);
  world.clock.advance(1000 / defaultSubmissionRate.refillPerSecond);
  expect(await statusOf('back')).toBe(202);
});
