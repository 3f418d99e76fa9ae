import { describe, expect, it } from 'vitest';
import { type Books, expectBalance, expectNothingSetAside, finish } from '../support/books.ts';
import { at, type Faults } from '../support/process-faults.ts';
import { visibilityMs } from '../support/world.ts';
import { limits, startScenario, undisturbed } from './scenario.ts';

/** Lets a worker die by its faults, and another do the rest once the messages are handed out again. */
async function crashed(faults: Faults): Promise<Books> {
  const { world, bookings } = await startScenario();
  expect(await world.worker(faults).settle()).toBe('crashed');
  world.clock.advance(visibilityMs);
  const books = await finish(world);
  expectBalance(books, bookings, limits);
  await expectNothingSetAside(world);
  return books;
}

const ids = (books: Books): string[] => [...books.events.keys(), ...books.dispatches.keys()];
const cameOften = (books: Books, times: number): string[] => ids(books).filter((id) => books.times.get(id) === times);

describe('a worker that dies', () => {
  it('before its UpdateItem has counted nothing, and the next one decides', async () => {
    const books = await crashed(at('UpdateItem', 1, 'crash before'));
    expect(cameOften(books, 1)).toEqual(ids(books));
    expect(ids(books).toSorted()).toEqual(ids(await undisturbed()).toSorted());
  });

  it.each([
    { when: 'after its UpdateItems and before the ledger', faults: at('BatchWriteItem', 1, 'crash before') },
    { when: 'after the ledger and before PutEvents', faults: at('PutEvents', 1, 'crash before') },
  ])('$when has decided: the next one gives that verdict, its events and dispatches, once', async ({ faults }) => {
    const books = await crashed(faults);
    const original = await undisturbed();
    expect(books).toEqual(original);
    expect(cameOften(books, 1)).toEqual(ids(books));
  });

  it('after the first of two PutEvents has its events published again with the same ids', async () => {
    const books = await crashed(at('PutEvents', 1, 'crash after'));
    const original = await undisturbed();
    expect(books).toEqual({ ...original, times: books.times });
    expect(cameOften(books, 2).filter((id) => books.events.has(id))).toHaveLength(10);
    expect(cameOften(books, 2)).toHaveLength(10);
  });

  it('after the first of several dispatch calls has all of them made again with the same ids', async () => {
    const books = await crashed(at('SendMessageBatch', 1, 'crash after'));
    const original = await undisturbed();
    expect(books).toEqual({ ...original, times: books.times });
    expect(cameOften(books, 2).filter((id) => books.dispatches.has(id))).toHaveLength(10);
    expect(cameOften(books, 2).filter((id) => books.events.has(id))).toHaveLength(books.events.size);
  });

  it('after everything but the delete is repeated in full, and nothing is counted again', async () => {
    const books = await crashed(at('DeleteMessageBatch', 1, 'crash before'));
    const original = await undisturbed();
    expect(books).toEqual({ ...original, times: books.times });
    expect(cameOften(books, 2)).toEqual(ids(books));
  });

  it('after each of its steps in turn, five workers one after another, leaves one count and one verdict', async () => {
    const { world, bookings } = await startScenario();
    const steps = ['UpdateItem', 'BatchWriteItem', 'PutEvents', 'SendMessageBatch', 'DeleteMessageBatch'];
    for (const step of steps.slice(0, 4)) {
      expect(await world.worker(at(step, 1, 'crash after')).settle()).toBe('crashed');
      world.clock.advance(visibilityMs);
    }
    expect(await world.worker(at('DeleteMessageBatch', 1, 'crash before')).settle()).toBe('crashed');
    world.clock.advance(visibilityMs);
    const books = await finish(world);
    expectBalance(books, bookings, limits);
    await expectNothingSetAside(world);
    expect(Math.max(...books.times.values())).toBe(4);
  });
});
