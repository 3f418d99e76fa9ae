import { expect, test } from 'vitest';
import { expectNothingSetAside, finish } from '../support/books.ts';
import { acceptedBy } from '../support/case.ts';
import { type Intake, startWorld } from '../support/world.ts';

const tour = { accountId: 'ada', key: 'tour', costs: new Array<number>(1000).fill(1) };

/** Takes the last entry out of so many answers; the queue may have its message all the same. */
function leaveOut({ clients: { sqs } }: Intake, answers: number): void {
  let left = answers;
  sqs.middlewareStack.add(
    (next) => async (args) => {
      const answer = await next(args);
      if ('Successful' in answer.output && Array.isArray(answer.output.Successful) && left-- > 0) {
        answer.output.Successful.pop();
      }
      return answer;
    },
    { step: 'initialize', name: 'leaveOut' },
  );
}

test('case 9: an entry that the answer does not name is sent again', async () => {
  const world = await startWorld();
  const intake = world.intake();
  leaveOut(intake, 1);
  await acceptedBy(await intake.submit(tour));
  expect(intake.requests.filter((command) => command === 'SendMessageBatch')).toHaveLength(2);
  const books = await finish(world);
  expect(books.counters.get('ada')).toEqual({ used: 1000, rejected: 0 });
  expect(books.ledger.size).toBe(10);
});

test('case 9: one that is never named counts as failed: 503, and the retry counts nothing twice', async () => {
  const world = await startWorld();
  const intake = world.intake();
  leaveOut(intake, Number.POSITIVE_INFINITY);
  expect(await intake.submit(tour)).toMatchObject({ status: 503 });
  await acceptedBy(await world.intake().submit(tour));
  const books = await finish(world);
  expect(books.counters.get('ada')).toEqual({ used: 1000, rejected: 0 });
  await expectNothingSetAside(world);
});
