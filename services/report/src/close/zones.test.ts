import { beforeEach, describe, expect, test } from 'vitest';
import { date, TestReport } from '../testing/test-report.ts';

const [berlin, newYork] = ['Europe/Berlin', 'America/New_York'];
/** The ends of the day, each with its grace. */
const berlinIsDue = '2026-11-29T23:15:00.000Z';
const newYorkIsDue = '2026-11-30T05:15:00.000Z';
/** An evening in New York, of the day that is over in Berlin. */
const evening = '2026-11-30T02:00:00.000Z';

let world: TestReport;
beforeEach(async () => {
  world = new TestReport();
  await world.closeAt('2026-11-29T12:30:00.000Z');
});

const accountsIn = async (timezone: string, of = date): Promise<string[]> =>
  (await world.report(timezone, of)).accounts.map(({ accountId }) => accountId);

describe('an account that first books when the day is over elsewhere', () => {
  beforeEach(async () => {
    await world.deliver(await world.book({ accountId: 'berlin', timezone: berlin }));
    expect(await world.closeAt(berlinIsDue)).toEqual([`${date} ${berlin}`, `${date} all`]);
    world.clock.advance(Date.parse(evening) - world.clock());
    await world.deliver(await world.book({ accountId: 'acme', timezone: newYork, acceptedAt: evening }));
  });

  test('has its report, and that of all zones is written anew after the last of them', async () => {
    expect(await world.closeAt('2026-11-30T02:15:00.000Z')).toEqual([]);
    expect(await world.closeAt(newYorkIsDue)).toEqual([`${date} ${newYork}`, `${date} all`]);
    expect(await world.report('all')).toMatchObject({ run: 2, state: 'complete' });
    expect(await accountsIn('all')).toEqual(['acme', 'berlin']);
    expect(await world.closeAt('2026-11-30T05:30:00.000Z')).toEqual([]);
  });

  test('is found by a closer that stood still for days, and its date is not passed over', async () => {
    expect(await world.closeAt('2026-12-05T12:00:00.000Z')).toContain(`${date} ${newYork}`);
    expect(await accountsIn(newYork)).toEqual(['acme']);
    expect(await accountsIn('all')).toEqual(['acme', 'berlin']);
    expect((await world.report('all')).state).toBe('final');
    await world.closeAt('2026-12-05T12:15:00.000Z');
    expect(await world.runs.progress()).toMatchObject({ finalThrough: '2026-12-01' });
  });
});

describe('an account whose zone moves west when its day has been told', () => {
  const chunks = [[[3, null]], [[4, null]]] as const;

  test('leaves the report of the zone that it was in at once, and is in that of the new one alone', async () => {
    await world.deliver(await world.book({ timezone: berlin, chunks }));
    await world.deliver(await world.book({ accountId: 'other', timezone: berlin }));
    await world.closeAt(berlinIsDue);
    expect(await accountsIn(berlin)).toEqual(['acme', 'other']);
    world.clock.advance(Date.parse(evening) - world.clock());
    await world.deliver(await world.book({ key: 'key-2', timezone: newYork, acceptedAt: evening }));
    expect(await world.closeAt('2026-11-30T02:15:00.000Z')).toEqual([`${date} ${berlin}`]);
    expect(await accountsIn(berlin)).toEqual(['other']);
    expect(await world.closeAt('2026-11-30T02:30:00.000Z')).toEqual([]);
    await world.closeAt(newYorkIsDue);
    expect((await world.report(newYork)).accounts).toMatchObject([
      { accountId: 'acme', used: 10, reconciliation: { state: 'agrees' } },
    ]);
  });

  test('across the date line, has its second day of one date in one report', async () => {
    const [kiritimati, pagoPago] = ['Pacific/Kiritimati', 'Pacific/Pago_Pago'];
    await world.deliver(await world.book({ timezone: kiritimati, acceptedAt: '2026-11-30T09:00:00.000Z' }));
    await world.closeAt('2026-11-30T10:15:00.000Z');
    expect(await accountsIn(kiritimati, '2026-11-30')).toEqual(['acme']);
    const again = '2026-11-30T20:00:00.000Z';
    world.clock.advance(Date.parse(again) - world.clock());
    await world.deliver(await world.book({ key: 'key-2', timezone: pagoPago, acceptedAt: again }));
    await world.closeAt('2026-12-01T11:15:00.000Z');
    expect(await accountsIn(kiritimati, '2026-11-30')).toEqual([]);
    expect((await world.report(pagoPago, '2026-11-30')).accounts).toMatchObject([{ accountId: 'acme', used: 6 }]);
    expect((await world.report('all', '2026-11-30')).totals).toMatchObject({ accounts: 1, used: 6 });
  });

  test('has a late event of its first zone in the report of the zone that tells of it, and later in corrections', async () => {
    const first = await world.book({ timezone: berlin, chunks });
    await world.deliver(first.slice(0, 1));
    await world.deliver(await world.book({ key: 'key-2', timezone: newYork }));
    await world.closeAt(newYorkIsDue);
    expect((await world.report(newYork)).accounts).toMatchObject([{ accountId: 'acme', grantedCost: 6 }]);
    await world.deliver(first.slice(1));
    expect(await world.closeAt('2026-11-30T12:00:00.000Z')).toEqual([`${date} ${newYork}`, `${date} all`]);
    expect((await world.report(newYork)).accounts).toMatchObject([{ accountId: 'acme', grantedCost: 10 }]);
  });

  test('has it in corrections of the zone that told of it, once that is final', async () => {
    const first = await world.book({ timezone: berlin, chunks });
    await world.deliver(first.slice(0, 1));
    await world.deliver(await world.book({ key: 'key-2', timezone: newYork }));
    await world.closeAt('2026-12-05T12:00:00.000Z');
    await world.closeAt('2026-12-05T12:15:00.000Z');
    await world.deliver(first.slice(1));
    await world.closeAt('2026-12-05T12:30:00.000Z');
    expect((await world.runs.corrections(newYork)).map((file) => file.date)).toEqual([date]);
    expect(await world.runs.corrections(berlin)).toEqual([]);
  });
});

test('a date that a zone leaves out has a day without an instant, and holds up nothing', async () => {
  // Samoa crossed the date line: its clocks went from the 29th to the 31st of December 2011.
  const samoa = new TestReport();
  samoa.clock.advance(Date.parse('2011-12-29T12:00:00.000Z') - samoa.clock());
  samoa.days.setPolicy('acme', { timezone: 'Pacific/Apia' });
  await samoa.closeAt('2011-12-29T12:15:00.000Z');
  await samoa.closeAt('2011-12-31T12:00:00.000Z');
  expect((await samoa.report('Pacific/Apia', '2011-12-30')).accounts).toMatchObject([{ accountId: 'acme', used: 0 }]);
  expect((await samoa.report('Pacific/Apia', '2011-12-29')).accounts).toMatchObject([{ accountId: 'acme', used: 0 }]);
});
