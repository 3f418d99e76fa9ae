import { expect, test } from 'vitest';
import { book, receiveBatch, settleByHand } from '../support/case.ts';
import { startWorld } from '../support/world.ts';

const serverError = { status: 500, type: 'InternalServerError', message: 'Try again.' };

test.each([
  { order: ['ada', 'bob', 'ada', 'bob'], failing: 'ada', failures: [0, 2] },
  { order: ['bob', 'ada', 'ada', 'bob'], failing: 'ada', failures: [1, 2] },
  { order: ['ada', 'ada', 'bob', 'bob'], failing: 'bob', failures: [2, 3] },
])('case 3: of $order, where $failing fails, exactly $failures are returned', async ({ order, failing, failures }) => {
  const world = await startWorld();
  for (const [n, accountId] of order.entries()) await book(world, accountId, `key-${n}`, [1]);
  const { Records } = await receiveBatch(world);
  // SQS promises no order between groups; the batch is put into the order of the case.
  const ordered = order.map((accountId) => {
    const at = Records.findIndex(({ attributes }) => attributes.MessageGroupId === accountId);
    return Records.splice(at, 1);
  });
  world.intercept(({ operation, input }) =>
    operation === 'UpdateItem' && JSON.stringify(input).includes(`account#${failing}"`) ? serverError : 'pass',
  );
  expect(await settleByHand(world, { Records: ordered.flat() })).toEqual(failures);
});
