import { parse } from 'csv-parse/sync';
import { beforeEach, describe, expect, test } from 'vitest';
import { reportMetrics } from '../metrics.ts';
import { daysAfter } from '../store/quarantine-day.ts';
import { TestReport } from '../testing/test-report.ts';
import { NotClosedError } from './close.ts';
import { dueMonths } from './months.ts';

let world: TestReport;
beforeEach(() => {
  world = new TestReport();
});

/** Runs the closer once on each day. */
async function closeDaily(from: string, to: string): Promise<void> {
  for (let date = from; date <= to; date = daysAfter(date, 1)) await world.closeAt(`${date}T12:15:00.000Z`);
}

function monthPaths(): string[] {
  return [...world.files.texts.keys()].filter((path) => path.startsWith('months/'));
}

function rowsOf(path: string): Record<string, string>[] {
  return parse(world.files.texts.get(path) ?? '', { columns: true, record_delimiter: '\r\n' });
}

test.each([
  ['2026-12-30', '2026-11', []],
  ['2026-12-31', '2026-11', ['2026-12']],
  ['2027-02-27', '2026-11', ['2026-12', '2027-01']],
  ['2027-02-28', '2026-11', ['2026-12', '2027-01', '2027-02']],
  ['2028-02-28', '2028-01', []],
  ['2027-03-05', '2027-02', []],
])('where reports are final through %s and months written through %s, the months due are %j', (...of) => {
  const [finalThrough, monthsThrough, months] = of;
  expect(dueMonths({ finalThrough, monthsThrough })).toEqual(months);
});

describe('a month', () => {
  test('is written once its last date is final, of the days since reports began', async () => {
    await world.closeAt('2026-12-12T12:30:00.000Z');
    await world.deliver(await world.book({ acceptedAt: '2026-12-14T12:00:00.000Z' }));
    await world.deliver(
      await world.book({ key: 'key-2', acceptedAt: '2026-12-31T12:00:00.000Z', chunks: [[[4, null]]] }),
    );
    await closeDaily('2026-12-13', '2027-01-04');
    expect(monthPaths()).toEqual([]);
    await world.closeAt('2027-01-04T12:30:00.000Z');
    expect(monthPaths()).toEqual(['months/2026-12/billing-2026-12-days.csv', 'months/2026-12/billing-2026-12.csv']);
    expect(rowsOf('months/2026-12/billing-2026-12.csv')).toMatchObject([
      { month: '2026-12', account_id: 'acme', days: '20', used: '7', granted_cost: '7', granted_cost_total: '7' },
    ]);
    const days = rowsOf('months/2026-12/billing-2026-12-days.csv');
    expect([days.length, days[0]?.date, days.at(-1)?.date]).toEqual([20, '2026-12-12', '2026-12-31']);
    expect(world.logged).toContainEqual({
      level: 'info',
      message: 'A month was written',
      fields: { month: '2026-12', days: 20 },
    });
  });

  test('is not written again, and would be the same', async () => {
    await world.deliver(await world.book());
    await world.closeAt('2026-11-29T12:30:00.000Z');
    await closeDaily('2026-11-30', '2026-12-05');
    const before = new Map(world.files.texts);
    const progress = await world.runs.progress();
    for (const path of monthPaths()) world.files.texts.delete(path);
    await world.closeAt('2026-12-05T12:30:00.000Z');
    expect(monthPaths()).toEqual([]);
    if (progress === undefined) throw new Error('no progress');
    await world.runs.setProgress({ ...progress, monthsThrough: '2026-10' });
    await world.closeAt('2026-12-05T12:45:00.000Z');
    expect(monthPaths()).toHaveLength(2);
    for (const path of monthPaths()) expect(world.files.texts.get(path)).toBe(before.get(path));
  });

  test('is written in its turn where no closer ran for two months', async () => {
    await world.closeAt('2026-11-29T12:30:00.000Z');
    await world.deliver(await world.book());
    await world.deliver(await world.book({ acceptedAt: '2026-12-20T12:00:00.000Z' }));
    await world.closeAt('2027-02-05T12:15:00.000Z');
    expect(monthPaths()).toEqual([]);
    await world.closeAt('2027-02-05T12:30:00.000Z');
    expect(monthPaths().filter((path) => !path.includes('days'))).toEqual([
      'months/2026-11/billing-2026-11.csv',
      'months/2026-12/billing-2026-12.csv',
      'months/2027-01/billing-2027-01.csv',
    ]);
    expect(rowsOf('months/2026-11/billing-2026-11.csv')).toMatchObject([{ days: '2', granted_cost: '3' }]);
    expect(rowsOf('months/2026-12/billing-2026-12.csv')).toMatchObject([{ days: '31', granted_cost: '3' }]);
    expect(await world.runs.progress()).toMatchObject({ monthsThrough: '2027-01' });
  });

  test('has its files where nobody had an account', async () => {
    await world.closeAt('2026-11-29T12:30:00.000Z');
    await closeDaily('2026-11-30', '2026-12-05');
    expect(monthPaths().map(rowsOf)).toEqual([[], []]);
  });

  test('counts a correction where its reports carry it: a late fact is billed once', async () => {
    const events = await world.book({ chunks: [[[3, null]], [[4, null]]] });
    await world.closeAt('2026-11-29T12:30:00.000Z');
    await world.deliver(events.slice(1));
    await closeDaily('2026-11-30', '2026-12-04');
    await world.deliver(events.slice(0, 1));
    await closeDaily('2026-12-05', '2027-01-05');
    expect(rowsOf('months/2026-11/billing-2026-11.csv')).toMatchObject([
      { granted_cost: '4', corrections: '0', granted_cost_total: '4' },
    ]);
    expect(rowsOf('months/2026-12/billing-2026-12.csv')).toMatchObject([
      { days: '31', granted_cost: '0', corrections: '1', corrected_granted_cost: '3', granted_cost_total: '3' },
    ]);
    const carried = rowsOf('months/2026-12/billing-2026-12-days.csv').filter(({ kind }) => kind === 'correction');
    expect(carried).toMatchObject([{ date: '2026-11-29', account_id: 'acme', granted_cost: '3' }]);
  });
});

describe('a month that fails', () => {
  const path = '2026-11-30/all/run-2/billing.csv';
  let kept = '';
  beforeEach(async () => {
    await world.deliver(await world.book());
    await world.closeAt('2026-11-29T12:30:00.000Z');
    await closeDaily('2026-11-30', '2026-12-03');
    await world.closeAt('2026-12-04T00:15:00.000Z');
    kept = world.files.texts.get(path) ?? '';
    expect(kept).toContain('final');
  });

  test.each([
    ['is gone', () => world.files.texts.delete(path), `${path} must be there`],
    ['is another', () => world.files.texts.set(path, `${kept} `), `${path} must be the file that its run sealed`],
  ])('because a file of its days %s holds up no report, is told, and is written once that is mended', async (...of) => {
    const [, spoil, message] = of;
    spoil();
    await expect(world.closeAt('2026-12-04T12:15:00.000Z')).rejects.toThrow(NotClosedError);
    await expect(world.closeAt('2026-12-05T12:15:00.000Z')).rejects.toThrow('1 days or months could not be closed');
    expect((await world.runs.ofDate('2026-12-04')).map(({ sealed }) => sealed?.isPublished)).toEqual([true, true]);
    await expect(world.closeAt('2026-12-05T12:30:00.000Z')).rejects.toThrow(NotClosedError);
    expect(await world.runs.progress()).toMatchObject({ finalThrough: '2026-12-01', monthsThrough: '2026-10' });
    expect(world.metrics.get(reportMetrics.closeFailures)).toBe(3);
    const told = world.logged.findLast(({ level }) => level === 'error');
    expect(told).toMatchObject({ message: 'A month could not be written', fields: { month: '2026-11' } });
    expect(JSON.stringify(told)).toContain(message);
    world.files.texts.set(path, kept);
    await world.closeAt('2026-12-05T12:45:00.000Z');
    expect(rowsOf('months/2026-11/billing-2026-11.csv')).toMatchObject([{ days: '2', granted_cost: '3' }]);
    expect(await world.runs.progress()).toMatchObject({ monthsThrough: '2026-11' });
  });

  test('holds up those behind it, so that months are written in their order', async () => {
    world.files.texts.delete(path);
    await expect(world.closeAt('2027-01-09T12:15:00.000Z')).rejects.toThrow(NotClosedError);
    await expect(world.closeAt('2027-01-09T12:30:00.000Z')).rejects.toThrow('1 days or months');
    expect(monthPaths().filter((one) => one.includes('2026-12'))).toEqual([]);
    world.files.texts.set(path, kept);
    await world.closeAt('2027-01-09T12:45:00.000Z');
    expect(await world.runs.progress()).toMatchObject({ monthsThrough: '2026-12' });
  });

  test('for so long that runs of its dates may be gone is never written without them', async () => {
    world.files.texts.delete(path);
    await expect(world.closeAt('2027-03-15T12:15:00.000Z')).rejects.toThrow(NotClosedError);
    world.files.texts.set(path, kept);
    await expect(world.closeAt('2027-03-15T12:30:00.000Z')).rejects.toThrow(NotClosedError);
    const told = JSON.stringify(world.logged.findLast(({ level }) => level === 'error'));
    expect(told).toContain('2026-11 may have had a report of 2026-11-01: its run is no longer kept');
    expect(monthPaths()).toEqual([]);
  });
});
