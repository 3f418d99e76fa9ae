import { Problem } from '@usher/contracts';
import { expect, test } from 'vitest';
import { openIntake } from '../support/open-intake.ts';
import { startWorld } from '../support/world.ts';

async function faultsOf(body: string): Promise<unknown> {
  const answer = await openIntake(await startWorld()).post('ada', 'key', body);
  const { status, errors = [], errorCount } = Problem.assert(await answer.json());
  expect([status, errorCount]).toEqual([422, errors.length]);
  return errors.map((error) => 'pointer' in error && error.pointer).sort();
}

test('case 58: a repeated id and a bad cost are told in one answer', async () => {
  expect(await faultsOf('{"reservations":[{"id":"A"},{"id":"A","cost":0}]}')).toEqual([
    '/reservations/1/cost',
    '/reservations/1/id',
  ]);
});

test('case 58: so are a list for a row, an unknown field, a name twice and a number that would change', async () => {
  const rows = '[],{"id":"A","seat":1},{"id":"B","id":"B","cost":9007199254740993},{"id":"A"}';
  expect(await faultsOf(`{"mode":"all","reservations":[${rows}]}`)).toEqual([
    '/mode',
    '/reservations/0',
    '/reservations/1/seat',
    '/reservations/2/cost',
    '/reservations/2/id',
    '/reservations/3/id',
  ]);
});
