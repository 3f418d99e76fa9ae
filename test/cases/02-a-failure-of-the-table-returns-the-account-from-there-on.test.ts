import type { Fault } from '@usher/local-stack';
import { expect, test } from 'vitest';
import { expectNothingSetAside, finish } from '../support/books.ts';
import { book, receiveBatch, settleByHand } from '../support/case.ts';
import { startWorld, type World } from '../support/world.ts';

const serverError: Fault = { status: 500, type: 'InternalServerError', message: 'Try again.' };

/** Three messages of A's around one of B's, in one batch. */
async function startWithBatch() {
  const world = await startWorld();
  for (const [account, key] of [
    ['ada', 'a0'],
    ['bob', 'b0'],
    ['ada', 'a1'],
    ['ada', 'a2'],
  ] as const) {
    await book(world, account, key, [1]);
  }
  const event = await receiveBatch(world);
  return { world, event, groups: event.Records.map(({ attributes }) => attributes.MessageGroupId) };
}

async function expectAllCountedOnce(world: World): Promise<void> {
  world.intercept(() => 'pass');
  world.clock.advance(180_000);
  const { counters } = await finish(world);
  expect(Object.fromEntries(counters)).toEqual({ ada: { used: 3, rejected: 0 }, bob: { used: 1, rejected: 0 } });
  await expectNothingSetAside(world);
}

test('case 2: where the table fails for A’s second message, it and A’s later ones return, and nothing of B’s', async () => {
  const { world, event, groups } = await startWithBatch();
  const own = groups.flatMap((group, place) => (group === 'ada' ? [place] : []));
  const second = event.Records[own[1] ?? 0]?.body ?? '';
  const bookingId = /bk_[a-z2-7]{35}/.exec(second)?.[0] ?? '';
  const faults = {
    takes: ({ command, text }: { command: string; text: string }) =>
      command !== 'BatchWriteItem' || !text.includes(bookingId),
  };
  expect(await settleByHand(world, event, { faults })).toEqual(own.slice(1));
  await expectAllCountedOnce(world);
});

test.each([
  { operation: 'UpdateItem', mentions: 'account#ada', returned: 'ada' },
  { operation: 'BatchGetItem', mentions: '', returned: 'every' },
  { operation: 'BatchWriteItem', mentions: '', returned: 'every' },
])('case 2: a 500 for $operation is swallowed into no empty list: $returned message returns', async (failure) => {
  const { world, event, groups } = await startWithBatch();
  world.intercept(({ operation, input }) =>
    operation === failure.operation && JSON.stringify(input).includes(failure.mentions) ? serverError : 'pass',
  );
  const expected = groups.flatMap((group, place) =>
    group === failure.returned || failure.returned === 'every' ? [place] : [],
  );
  expect(await settleByHand(world, event)).toEqual(expected);
  await expectAllCountedOnce(world);
});
