import { readFileSync } from 'node:fs';
import { Problem } from '@usher/contracts';
import { readConfig as readIntakeConfig } from '@usher/intake';
import { readConfig as readWorkerConfig } from '@usher/worker';
import { expect, test } from 'vitest';
import { expectBalance, finish } from '../support/books.ts';
import { acceptedBy, book, quarantined, sendRaw } from '../support/case.ts';
import { openIntake } from '../support/open-intake.ts';
import { startWorld } from '../support/world.ts';

const bodies = readFileSync(new URL('inputs/repeated-names.jsonl', import.meta.url), 'utf8')
  .trimEnd()
  .split('\n');
const pointers = [
  '/reservations',
  '/reservations/0/cost',
  '/reservations/0/id',
  '/mode',
  '/reservations/0/details/seat',
] as const;
const detail = 'must be given once: the name is repeated';

test.each(pointers.map((pointer, i) => [pointer, bodies[i] ?? '']))(
  'case 34: a body with %s twice is refused, and nothing is left behind',
  async (pointer, body) => {
    const world = await startWorld();
    const intake = openIntake(world);
    const answer = await intake.post('ada', 'key', body);
    const problem = Problem.assert(await answer.json());
    expect(problem).toMatchObject({ status: 422, type: '/problems/invalid-body' });
    expect(problem.errors).toContainEqual({ pointer, detail });
    // The key is free still.
    await acceptedBy(await intake.post('ada', 'key', { reservations: [{ id: 'A-1' }] }));
  },
);

test.each([
  ['names that are equal only after unescaping', '{"reservations":[{"id":"A","\\u0069d":"B"}]}', '/reservations/0/id'],
  [
    '__proto__',
    '{"reservations":[{"id":"A","details":{"__proto__":1,"__proto__":2}}]}',
    '/reservations/0/details/__proto__',
  ],
])('case 34: %s are one name', async (_, body, pointer) => {
  const answer = await openIntake(await startWorld()).post('ada', 'key', body);
  expect(Problem.assert(await answer.json()).errors).toContainEqual({ pointer, detail });
});

test('case 34: a body with names twice and other faults is told both at once', async () => {
  const body = '{"mode":"partial","mode":"some","reservations":[{"id":"A","cost":0}],"x":1}';
  const { errors } = Problem.assert(await (await openIntake(await startWorld()).post('ada', 'key', body)).json());
  expect(errors?.map((error) => 'pointer' in error && error.pointer).sort()).toEqual([
    '/mode',
    '/mode',
    '/reservations/0/cost',
    '/x',
  ]);
});

test('case 34: a message with a name twice goes to quarantine, and holds nobody up', async () => {
  const world = await startWorld();
  const chunk = '{"v":1,"kind":"chunk","kind":"chunk"}';
  await sendRaw(world, 'ada', chunk, 'twice');
  const bulk = { accountId: 'ada', key: 'after', costs: [1] };
  const { bookingId } = await book(world, bulk.accountId, bulk.key, bulk.costs);
  expect(await world.worker().settle()).toMatchObject({ received: { length: 2 }, handedBack: [] });
  expect(await quarantined(world)).toMatchObject([
    { reason: 'invalid_message', problem: `/kind ${detail}`, body: chunk },
  ]);
  expectBalance(await finish(world), [{ ...bulk, bookingId }]);
});

const twice = '{"dailyLimit":5,"dailyLimit":50000}';

test('case 34: a default policy with a name twice starts neither service', () => {
  const queue = 'http://127.0.0.1/queue';
  const env = {
    USHER_TABLE: 'usher',
    USHER_BUS: 'usher',
    USHER_BOOKINGS_QUEUE_URL: queue,
    USHER_DISPATCH_QUEUE_URL: queue,
    USHER_PACING_QUEUE_URL: queue,
    USHER_QUARANTINE_QUEUE_URL: queue,
  };
  for (const read of [readIntakeConfig, readWorkerConfig]) {
    expect(read(env).defaultPolicy.dailyLimit).toBe(1000);
    expect(() => read({ ...env, USHER_DEFAULT_POLICY: twice })).toThrow(
      'USHER_DEFAULT_POLICY must be JSON text: /dailyLimit must be given once',
    );
  }
});
