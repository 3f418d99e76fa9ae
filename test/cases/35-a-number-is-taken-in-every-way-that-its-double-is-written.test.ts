import { readFileSync } from 'node:fs';
import { Dispatch, Problem } from '@usher/contracts';
import { expect, test } from 'vitest';
import { Consumer } from '../support/books.ts';
import { acceptedBy, settleAll } from '../support/case.ts';
import { openIntake } from '../support/open-intake.ts';
import { startWorld } from '../support/world.ts';

const bodies = readFileSync(new URL('inputs/php-numbers.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');
const sentBy = (price: string): string => `{"reservations":[{"id":"P-1","cost":2,"details":{"price":${price}}}]}`;
const shortest = ['29.95', '0.1', '67.2'];

test.each(shortest.map((price, i) => [price, bodies[i] ?? '']))(
  'case 35: %s in the spelling of PHP is taken, and a repeat in the other spelling replays',
  async (price, body) => {
    const world = await startWorld();
    const intake = openIntake(world);
    const first = await acceptedBy(await intake.post('ada', 'key', body));
    for (const text of [sentBy(price), sentBy(`${price}0e0`), body]) {
      const repeat = await intake.post('ada', 'key', text);
      expect(repeat.headers.get('Idempotency-Replayed')).toBe('true');
      expect(await acceptedBy(repeat)).toEqual(first);
    }
    await settleAll(world);
    const consumer = new Consumer();
    await consumer.drain(world.clients, world.queues, world.clock());
    const dispatched = [...consumer.dispatches.values()].map((dispatch) => Dispatch.assert(dispatch).reservations);
    expect(dispatched).toEqual([[{ id: 'P-1', cost: 2, details: { price: Number(price) } }]]);
  },
);

test.each(['9007199254740993', '9007199254740993.0', '29.949999999999998', '1e400', '0.1000000000000000055'])(
  'case 35: %s would be changed, and is refused',
  async (price) => {
    const answer = await openIntake(await startWorld()).post('ada', 'key', sentBy(price));
    const { status, errors } = Problem.assert(await answer.json());
    expect([status, errors?.map((error) => 'pointer' in error && error.pointer)]).toEqual([
      422,
      ['/reservations/0/details/price'],
    ]);
  },
);
