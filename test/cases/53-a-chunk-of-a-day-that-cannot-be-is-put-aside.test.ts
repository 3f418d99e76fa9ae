import { bookingIdOf, bookingKeyFor, Chunk } from '@usher/contracts';
import { expect, test } from 'vitest';
import { finish } from '../support/books.ts';
import { book, quarantined, receiveBatch, sendRaw } from '../support/case.ts';
import { readTable } from '../support/read-back.ts';
import { noon, startWorld, visibilityMs, type World } from '../support/world.ts';

const dayMs = 86_400_000;

/** A UTC day and an acceptance at its noon. */
function dayOf(date: string): Pick<Chunk, 'acceptedAt' | 'window'> {
  const startMs = Date.parse(`${date}T00:00:00.000Z`);
  const at = (ms: number): string => new Date(ms).toISOString();
  const window = { date, timezone: 'UTC', startsAt: at(startMs), resetsAt: at(startMs + dayMs) };
  return { acceptedAt: at(startMs + dayMs / 2), window };
}

const today = dayOf(noon.slice(0, 10));
const impossible: Record<string, Partial<Chunk>> = {
  'a window before 1970': { window: dayOf('1969-12-31').window },
  'a window in 9999': { window: dayOf('9999-12-30').window },
  'a day before 1970': dayOf('1969-12-31'),
  'a day in 9999': dayOf('9999-12-30'),
  'a day that no clock has shown yet': dayOf('2026-12-02'),
  'the window of the day before': { window: dayOf('2026-11-28').window },
  'the window of the day after': { window: dayOf('2026-11-30').window },
  'a date before 1970 on a right window': { window: { ...today.window, date: '1969-12-31' } },
  'a date in 9999 on a right window': { window: { ...today.window, date: '9999-12-31' } },
  'a window of a month': { window: { ...today.window, resetsAt: dayOf('2026-12-29').window.resetsAt } },
};

/** A chunk as intake makes it, under another booking's id and with other fields. */
async function changed(world: World, fields: Partial<Chunk>): Promise<string> {
  await book(world, 'ada', 'model', [1]);
  const { Records } = await receiveBatch(world);
  world.clock.advance(visibilityMs);
  expect(await world.worker().settle()).toMatchObject({ handedBack: [] });
  const chunk = { ...Chunk.assert(JSON.parse(Records[0]?.body ?? '')), ...fields };
  // An id carries instants up to the year 3084.
  const acceptedAtMs = Math.min(Math.max(0, Date.parse(chunk.acceptedAt)), 2 ** 45 - 1);
  const bookingId = bookingIdOf(bookingKeyFor('ada', 'impossible'), acceptedAtMs);
  return JSON.stringify({ ...chunk, bookingId });
}

test.each(Object.keys(impossible))(
  'case 53: a chunk with %s is put aside, blocks nobody and leaves no counter behind',
  async (kind) => {
    const world = await startWorld();
    await sendRaw(world, 'ada', await changed(world, impossible[kind] ?? {}), 'impossible');
    await book(world, 'ada', 'later', [2, 3]);
    await book(world, 'bob', 'other', [4]);

    expect(await world.worker().settle()).toMatchObject({ received: { length: 3 }, handedBack: [] });
    expect(await quarantined(world)).toMatchObject([{ reason: 'invalid_message', accountId: 'ada' }]);
    const { accounts } = await readTable(world.clients);
    expect([...(accounts.get('ada')?.usage ?? [])]).toMatchObject([['2026-11-29', { used: 6 }]]);
    const books = await finish(world);
    expect(books.ledger.size).toBe(3);
    expect(books.counters.get('bob')).toMatchObject({ used: 4 });
  },
);

test('case 53: a window of another version of the time zone data is counted as it was answered', async () => {
  const world = await startWorld();
  const anHourOff = {
    date: '2026-11-29',
    timezone: 'UTC',
    startsAt: '2026-11-28T23:00:00.000Z',
    resetsAt: '2026-11-29T23:00:00.000Z',
  };
  await sendRaw(world, 'ada', await changed(world, { window: anHourOff }), 'other-data');
  expect(await world.worker().settle()).toMatchObject({ received: { length: 1 }, handedBack: [] });
  expect(await quarantined(world)).toEqual([]);
  expect((await finish(world)).counters.get('ada')).toMatchObject({ used: 2 });
});
