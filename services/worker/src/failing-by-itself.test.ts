import { receiveBounds } from '@usher/contracts';
import type { SQSRecord } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import { toPacing } from './hand-off.ts';
import { chunk, idOf, settledAt } from './testing/deliver.ts';
import { FaultyStore } from './testing/faulty-store.ts';
import { deliveryOf, noon, rowsOf, secret } from './testing/messages.ts';
import { taken } from './testing/scripted-clients.ts';
import { settledInTurn } from './testing/slots.ts';
import { checkedDetail, handedBack, plentyOfTime, queues, World } from './testing/world.ts';

const last = receiveBounds.deterministicError;

function faulty() {
  const store = new FaultyStore();
  return { store, world: new World({ store }) };
}

/** The ids of what lies in quarantine, with the reasons. */
const aside = (world: World): unknown =>
  world.sent('quarantine').map(({ body }) => {
    const { messageId, reason } = JSON.parse(body) as { messageId: string; reason: string };
    return [messageId, reason];
  });

const dispatchedOf = (world: World): string[] => world.dispatches().map(({ dispatchId }) => dispatchId);

describe('a chunk that fails by itself', () => {
  test.each([1, last - 1])('comes again while it was received %i times', async (receives) => {
    const { store, world } = faulty();
    const message = chunk('ada', 0);
    store.unwritable.add(idOf(message));
    expect(await settledAt(world, receives, { a: message })).toEqual(['a']);
    expect(aside(world)).toEqual([]);
  });

  test.each([last, last + 1, 599])('goes to quarantine when it was received %i times', async (receives) => {
    const { store, world } = faulty();
    const message = chunk('ada', 0, [1], { reservations: rowsOf([1]) });
    store.unwritable.add(idOf(message));
    expect(await settledAt(world, receives, { a: message })).toEqual([]);
    expect(aside(world)).toEqual([['a', 'processing_failed']]);
    expect(world.events().map(checkedDetail)).toMatchObject([
      { metadata: { id: 'a' }, data: { reason: 'processing_failed', accountId: 'ada' } },
    ]);
    expect(await world.used('ada')).toBe(0);
    const [{ body } = { body: '' }] = world.sent('quarantine');
    expect(JSON.parse(body)).toMatchObject({
      problem: 'DeterministicError: Code failed on its input; cause: RangeError',
      body: JSON.stringify(message),
    });
  });

  test('is put aside alone: what is before it is settled, what is behind it comes again and is settled then', async () => {
    const { store, world } = faulty();
    const batch = { before: chunk('ada', 0), bad: chunk('ada', 1), behind: chunk('ada', 2), other: chunk('bob', 0) };
    store.unwritable.add(idOf(batch.bad));
    expect(await settledAt(world, last, batch)).toEqual(['behind']);
    expect(aside(world)).toEqual([['bad', 'processing_failed']]);
    expect(dispatchedOf(world).sort()).toEqual([batch.before, batch.other].map((one) => `${idOf(one)}#0`).sort());
    world.forget();
    expect(await settledAt(world, last + 1, { behind: batch.behind })).toEqual([]);
    expect(dispatchedOf(world)).toEqual([`${idOf(batch.behind)}#0`]);
    expect(await world.used('ada')).toBe(2);
  });

  test('is not put aside before what failed in front of it', async () => {
    const { store, world } = faulty();
    const batch = { first: [chunk('ada', 0), last - 1] as const, second: [chunk('ada', 1), last] as const };
    for (const [message] of Object.values(batch)) store.unwritable.add(idOf(message));
    expect(await settledAt(world, last, batch)).toEqual(['first', 'second']);
    expect(aside(world)).toEqual([]);
  });

  test('that cannot be put aside comes again, with all behind it', async () => {
    const { store, world } = faulty();
    const batch = { bad: chunk('ada', 0), behind: chunk('ada', 1) };
    store.unwritable.add(idOf(batch.bad));
    world.answerSend = ({ queueUrl, entries }) => (queueUrl === queues.quarantine ? new Error('down') : taken(entries));
    expect((await settledAt(world, last, batch)).sort()).toEqual(['bad', 'behind']);
  });

  test('with all others of its account gives up one by one, and no other account waits', async () => {
    const { store, world } = faulty();
    for (const n of [0, 1]) store.unwritable.add(idOf(chunk('ada', n)));
    expect(await settledAt(world, last, { a: chunk('ada', 0), b: chunk('ada', 1), c: chunk('bob', 0) })).toEqual(['b']);
    expect(aside(world)).toEqual([['a', 'processing_failed']]);
    expect(await world.used('bob')).toBe(1);
  });

  test('by a verdict that no event can be made of, fails alone and is put aside, its dispatches unsent', async () => {
    const { store, world } = faulty();
    const batch = { bad: chunk('ada', 0), behind: chunk('ada', 1), other: chunk('bob', 0) };
    await settledAt(world, 1, batch);
    world.forget();
    store.untellable.add(idOf(batch.bad));
    expect(await settledAt(world, 2, batch)).toEqual(['bad', 'behind']);
    expect(dispatchedOf(world)).toEqual([`${idOf(batch.other)}#0`]);
    world.forget();
    expect(await settledAt(world, last, batch)).toEqual(['behind']);
    expect(aside(world)).toEqual([['bad', 'processing_failed']]);
    expect(dispatchedOf(world)).toEqual([`${idOf(batch.other)}#0`]);
  });
});

describe('a message that the code which reads it fails on', () => {
  /** A record whose body throws at the first look, as a defect in the reader would. */
  function unreadable(message: ReturnType<typeof chunk> | string, messageId: string, receives: number): SQSRecord {
    const record = deliveryOf(message, messageId, 'ada', receives);
    let looks = 0;
    return Object.defineProperty({ ...record }, 'body', {
      get: () => {
        looks += 1;
        if (looks === 1) throw new RangeError(secret);
        return record.body;
      },
    });
  }
  const batch = (receives: number): SQSRecord[] => [
    deliveryOf(chunk('ada', 0), 'before', undefined, receives),
    unreadable(chunk('ada', 1), 'bad', receives),
    deliveryOf(chunk('ada', 2), 'behind', undefined, receives),
    deliveryOf(chunk('bob', 0), 'other', undefined, receives),
  ];
  const done = ['ada', 'bob'].map((accountId) => `${idOf(chunk(accountId, 0))}#0`);

  test.each([1, last - 1])('comes again at receive %i, with what is behind it in its account', async (receives) => {
    const world = new World();
    const answer = await world.worker.settle({ Records: batch(receives) }, plentyOfTime);
    expect(handedBack(answer).sort()).toEqual(['bad', 'behind']);
    expect(aside(world)).toEqual([]);
    expect(dispatchedOf(world).sort()).toEqual(done);
  });

  test('is put aside at the tenth receive, alone', async () => {
    const world = new World();
    const answer = await world.worker.settle({ Records: batch(last) }, plentyOfTime);
    expect(handedBack(answer)).toEqual(['behind']);
    expect(aside(world)).toEqual([['bad', 'processing_failed']]);
    expect(world.sent('quarantine').map(({ body }) => JSON.parse(body))).toMatchObject([
      { body: JSON.stringify(chunk('ada', 1)), accountId: 'ada', problem: 'RangeError' },
    ]);
    expect(world.everythingObserved()).not.toContain(secret);
  });

  test('of the pacing queue comes again, and is put aside at the tenth receive', async () => {
    const world = new World();
    const received = async (receives: number) =>
      handedBack(await world.worker.pace({ Records: [unreadable('{}', 'p', receives)] }, plentyOfTime));
    expect(await received(last - 1)).toEqual(['p']);
    expect(aside(world)).toEqual([]);
    expect(await received(last)).toEqual([]);
    expect(aside(world)).toEqual([['p', 'processing_failed']]);
  });
});

describe('what is no fault of the message', () => {
  const services: [string, (store: FaultyStore) => void][] = [
    ['the table', (store) => store.failingWrites.set('ada', 'before')],
    ['the ledger', (store) => store.failingRecords.add(idOf(chunk('ada', 0)))],
    ['a policy that cannot be read', (store) => store.setOverrides('ada', { dailyLimit: 'many' })],
  ];
  test.each(services)('%s puts nothing aside, however often it fails', async (_, fail) => {
    const { store, world } = faulty();
    fail(store);
    for (const receives of [last - 1, last, 599]) {
      expect(await settledAt(world, receives, { a: chunk('ada', 0) })).toEqual(['a']);
    }
    expect(world.sent('quarantine')).toEqual([]);
  });

  test('an outage of the bus or of a queue puts nothing aside', async () => {
    const { world } = faulty();
    world.answerPut = () => new Error('down');
    expect(await settledAt(world, 599, { a: chunk('ada', 0) })).toEqual(['a']);
    world.answerPut = (entries) => ({ Entries: entries.map(() => ({ EventId: 'e' })) });
    world.answerSend = () => new Error('down');
    expect(await settledAt(world, 599, { a: chunk('ada', 0) })).toEqual(['a']);
    expect(world.sent('quarantine')).toEqual([]);
  });

  test('a first run at the seventh receive, or at the 599th, is a run like any other', async () => {
    const { world } = faulty();
    expect(await settledAt(world, 7, { a: chunk('ada', 0) })).toEqual([]);
    expect(await settledAt(world, 599, { b: chunk('ada', 1) })).toEqual([]);
    expect(await world.used('ada')).toBe(2);
  });
});

describe('a pacing message', () => {
  const pacing = (settledAt: string): string => {
    const [own] = settledInTurn({ chunks: [[1]], rate: { refillPerSecond: 1, burst: 1 } });
    if (own === undefined) throw new Error('no chunk');
    const body = toPacing(own);
    const reservations = body.reservations.map((row) => ({ ...row, dispatchAt: settledAt }));
    return JSON.stringify({ ...body, settledAt, reservations });
  };

  test('due at an instant that never comes is put aside and does not hop for ever', async () => {
    const { world } = faulty();
    const event = { Records: [deliveryOf(pacing('9999-12-31T00:00:00.000Z'), 'p')] };
    expect(handedBack(await world.worker.pace(event, plentyOfTime))).toEqual([]);
    expect(aside(world)).toEqual([['p', 'invalid_message']]);
    expect(world.pacings()).toEqual([]);
  });

  test('of a decision this clock is behind of is passed on', async () => {
    const { world } = faulty();
    const ahead = new Date(Date.parse(noon) + 60_000).toISOString();
    await world.worker.pace({ Records: [deliveryOf(pacing(ahead), 'p')] }, plentyOfTime);
    expect(world.dispatches()).toHaveLength(1);
  });
});

test('what is told of a failure never repeats what partners sent', async () => {
  const { store, world } = faulty();
  const message = chunk('ada', 0);
  store.unwritable.add(idOf(message));
  await settledAt(world, last - 1, { a: message });
  expect(world.everythingObserved()).toContain('RangeError');
  expect(world.everythingObserved()).not.toContain(secret);
});
