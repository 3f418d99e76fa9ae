import { describe, expect, test } from 'vitest';
import { sealOf } from '../forms/file.ts';
import { crashing, type Death } from '../testing/crashing.ts';
import { date, due, TestReport } from '../testing/test-report.ts';

const retried = '2026-11-30T00:30:00.000Z';

/** A day of three accounts in two zones. */
async function madeDay(): Promise<TestReport> {
  const world = new TestReport();
  await world.closeAt('2026-11-29T12:30:00.000Z');
  await world.deliver(
    await world.book({
      chunks: [
        [
          [3, null],
          [4, 'daily_quota_exceeded'],
        ],
        [[2, null]],
      ],
    }),
  );
  await world.deliver(await world.book({ accountId: 'other' }));
  await world.deliver(await world.book({ accountId: 'berlin', timezone: 'Europe/Berlin' }));
  return world;
}

/** All files by path, without the instants of looking, which may be those of either run. */
function written({ files }: TestReport): Map<string, string> {
  const instants = [due, retried, due.replace('T', ' '), retried.replace('T', ' ')];
  const blank = (text: string): string => instants.reduce((left, instant) => left.replaceAll(instant, ''), text);
  return new Map(
    [...files.texts].filter(([path]) => !path.endsWith('.html')).map(([path, text]) => [path, blank(text)]),
  );
}

function expectSealed({ published, files }: TestReport): void {
  for (const event of published) {
    if (event.detailType !== 'Daily Quota Report') throw new Error('another event');
    for (const { name, bytes, sha256 } of event.detail.data.files) {
      const text = files.texts.get(name) ?? '';
      expect(sealOf({ name, mediaType: '', content: [text] })).toEqual({ name, bytes, sha256 });
    }
  }
}

describe.each<Death>(['before', 'after'])('a closer that dies %s any of its calls', (death) => {
  test('is followed by one that makes the same files and tells one event', async () => {
    const expected = await madeDay();
    await expected.closeAt(due);
    const calls = crashing(expected.ports(), { at: Number.POSITIVE_INFINITY, death });
    expect(calls.seen.calls).toBe(0);
    let deaths = 0;
    for (let at = 1; ; at++) {
      const world = await madeDay();
      const dying = crashing(world.ports(), { at, death });
      world.restart(dying.ports);
      await world.closeAt(due).catch(() => undefined);
      if (dying.seen.calls < at) break;
      deaths++;
      world.restart();
      await world.closeAt(retried);
      expect([...new Set(world.publishedIds())].sort()).toEqual(expected.publishedIds().sort());
      expect(new Set(world.published.map((event) => JSON.stringify(event))).size).toBe(expected.published.length);
      expect(written(world)).toEqual(written(expected));
      expectSealed(world);
      expect(await world.closeAt('2026-11-30T00:45:00.000Z')).toEqual([]);
    }
    // Two zones and all of them, each with a claim, its files, a seal, an event and a note of it.
    expect(deaths).toBeGreaterThan(40);
  });
});

test.each<Death>(['before', 'after'])(
  'a closer that dies %s any call of a month is followed by one that writes the same',
  async (death) => {
    const monthDue = '2026-12-04T12:30:00.000Z';
    const untilMonth = async (): Promise<TestReport> => {
      const world = await madeDay();
      for (const day of ['11-30', '12-01', '12-02', '12-03', '12-04']) await world.closeAt(`2026-${day}T12:15:00.000Z`);
      expect(await world.runs.progress()).toMatchObject({ monthsThrough: '2026-10' });
      return world;
    };
    const expected = await untilMonth();
    await expected.closeAt(monthDue);
    expect(await expected.runs.progress()).toMatchObject({ finalThrough: '2026-11-30', monthsThrough: '2026-11' });
    let deaths = 0;
    for (let at = 1; ; at++) {
      const world = await untilMonth();
      const dying = crashing(world.ports(), { at, death });
      world.restart(dying.ports);
      await world.closeAt(monthDue).catch(() => undefined);
      if (dying.seen.calls < at) break;
      deaths++;
      // What is noted as written is there.
      const noted = await world.runs.progress();
      if (noted?.monthsThrough === '2026-11') expect(world.files.texts).toEqual(expected.files.texts);
      world.restart();
      await world.closeAt('2026-12-04T12:45:00.000Z');
      expect(world.files.texts).toEqual(expected.files.texts);
      expect(await world.runs.progress()).toMatchObject({ finalThrough: '2026-11-30', monthsThrough: '2026-11' });
    }
    // Thirty reads of runs, two reads of each file of two days, two files, and what is noted.
    expect(deaths).toBeGreaterThan(37);
  },
);

test('a run that another closer has begun is left to it until its lease is over', async () => {
  const world = await madeDay();
  const busy = crashing(world.ports(), { at: 12, death: 'before' });
  world.restart(busy.ports);
  await world.closeAt(due).catch(() => undefined);
  const begun = (await world.runs.ofDate(date)).filter((runs) => runs.begun !== undefined);
  expect(begun).toHaveLength(1);
  world.restart();
  const told = await world.closeAt('2026-11-30T00:16:00.000Z');
  expect(told).not.toContain(`${date} ${begun[0]?.timezone}`);
  expect(await world.closeAt(retried)).toContain(`${date} ${begun[0]?.timezone}`);
});

test('where no two closers run at once, a run that was begun is taken over without a wait', async () => {
  const world = await madeDay();
  const dying = crashing(world.ports({ runLeaseMs: 0 }), { at: 12, death: 'before' });
  world.restart(dying.ports);
  await world.closeAt(due).catch(() => undefined);
  const begun = (await world.runs.ofDate(date)).filter((runs) => runs.begun !== undefined);
  expect(begun).toHaveLength(1);
  world.restart({ runLeaseMs: 0 });
  expect(await world.closeAt('2026-11-30T00:16:00.000Z')).toContain(`${date} ${begun[0]?.timezone}`);
  expect(await world.report(begun[0]?.timezone)).toMatchObject({ run: 1, generatedAt: due });
});

test('a consumer that dies at any of its calls stores every event once its messages come again', async () => {
  for (const death of ['before', 'after'] as const) {
    for (let at = 1; at <= 4; at++) {
      const world = new TestReport();
      await world.closeAt('2026-11-29T12:30:00.000Z');
      const messages = (await world.book({ chunks: [[[3, null]], [[4, null]]] })).map((event) => world.message(event));
      world.restart(crashing(world.ports(), { at, death }).ports);
      await world.consume(...messages);
      world.restart();
      expect(await world.consume(...messages)).toEqual({ batchItemFailures: [] });
      await world.closeAt(due);
      expect((await world.report()).accounts).toMatchObject([{ grantedCost: 7, repeats: 0 }]);
    }
  }
});
