import { describe, expect, it } from 'vitest';
import { type Books, expectBalance, expectNothingSetAside, finish } from '../support/books.ts';
import type { Accepted } from '../support/first-fit.ts';
import { at, type Faults } from '../support/process-faults.ts';
import { messagesIn } from '../support/read-back.ts';
import { type Bulk, startWorld, visibilityMs, type World } from '../support/world.ts';
import { ones, submitAll } from './scenario.ts';

const reachMs = 900_000;
/** A booking whose last row, at 0.1 a second, is due after 33 minutes: past two hops of 15. */
const slow: Bulk = { accountId: 'ada', key: 'slow', costs: ones(200) };

/** A world in which that booking is settled: what is near waits in the dispatch queue, the rest in the pacing queue. */
async function startPaced(): Promise<{ world: World; bookings: Accepted[] }> {
  const world = await startWorld({ ada: { refillPerSecond: 0.1, burst: 1 } });
  const bookings = await submitAll(world, [slow]);
  expect(await world.worker().settle()).toMatchObject({ received: { length: 2 }, handedBack: [] });
  expect(await messagesIn(world.clients, world.queues.pacing.url)).toBe(2);
  return { world, bookings };
}

let original: Promise<Books> | undefined;

function undisturbed(): Promise<Books> {
  original ??= startPaced().then(({ world }) => finish(world));
  return original;
}

/** Lets the pacer die by its faults when it first gets the rows, and another go on once they are handed out again. */
async function crashed(faults: Faults): Promise<Books> {
  const { world, bookings } = await startPaced();
  world.clock.advance(reachMs);
  expect(await world.worker(faults).pace()).toBe('crashed');
  world.clock.advance(visibilityMs);
  const books = await finish(world);
  expectBalance(books, bookings);
  await expectNothingSetAside(world);
  return books;
}

const timesOf = ({ dispatches, times }: Books): number[] => [...dispatches.keys()].map((id) => times.get(id) ?? 0);

describe('a pacer that dies', () => {
  it('before it sends anything has lost and repeated nothing', async () => {
    expect(await crashed(at('SendMessageBatch', 1, 'crash before'))).toEqual(await undisturbed());
  });

  it('after a part of its dispatches has all of them made again with the same ids', async () => {
    const books = await crashed(at('SendMessageBatch', 1, 'crash after'));
    expect(books).toEqual({ ...(await undisturbed()), times: books.times });
    expect(timesOf(books).filter((times) => times === 2)).toHaveLength(10);
  });

  it('between sending and putting back makes the same messages again, and no row is lost or early', async () => {
    const { world, bookings } = await startPaced();
    world.clock.advance(reachMs);
    const pacer = world.worker(beforePutBack(world));
    expect(await pacer.pace()).toBe('crashed');
    expect(pacer.requests.filter((command) => command === 'SendMessageBatch').length).toBeGreaterThan(1);
    world.clock.advance(visibilityMs);
    const books = await finish(world);
    expectBalance(books, bookings);
    expect(books).toEqual({ ...(await undisturbed()), times: books.times });
    expect(timesOf(books).filter((times) => times === 2).length).toBeGreaterThan(50);
    await expectNothingSetAside(world);
  });

  it('after everything but the delete leaves two copies of the rest, whose dispatches are the same', async () => {
    const books = await crashed(at('DeleteMessageBatch', 1, 'crash before'));
    expect(books).toEqual({ ...(await undisturbed()), times: books.times });
    expect(Math.max(...timesOf(books))).toBe(2);
  });

  it('three times in a row still has every row dispatched, never early', async () => {
    const { world, bookings } = await startPaced();
    for (let death = 0; death < 3; death++) {
      world.clock.advance(reachMs);
      expect(await world.worker(beforePutBack(world)).pace()).toBe('crashed');
    }
    const books = await finish(world);
    expectBalance(books, bookings);
    await expectNothingSetAside(world);
  });
});

describe('a worker that dies between dispatch and pacing', () => {
  it('has both made again: the same dispatches, and every row once per id', async () => {
    const world = await startWorld({ ada: { refillPerSecond: 0.1, burst: 1 } });
    const bookings = await submitAll(world, [slow]);
    expect(await world.worker(beforePutBack(world)).settle()).toBe('crashed');
    expect(await messagesIn(world.clients, world.queues.pacing.url)).toBe(0);
    world.clock.advance(visibilityMs);
    const books = await finish(world);
    expectBalance(books, bookings);
    expect(books).toEqual({ ...(await undisturbed()), times: books.times });
    await expectNothingSetAside(world);
  });
});

/** Dies when it is about to send to the pacing queue. */
function beforePutBack({ queues }: World): Faults {
  return {
    onRequest: ({ command, input }) =>
      command === 'SendMessageBatch' && 'QueueUrl' in input && input.QueueUrl === queues.pacing.url
        ? 'crash before'
        : undefined,
  };
}
