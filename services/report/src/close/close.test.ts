import { eventDetails } from '@usher/contracts';
import { builtInPolicy } from '@usher/limiter-core/bulk';
import { beforeEach, describe, expect, test } from 'vitest';
import { sealOf } from '../forms/file.ts';
import { MemoryDays } from '../store/memory-days.ts';
import { date, due, noon, quarantined, TestReport } from '../testing/test-report.ts';

let world: TestReport;
beforeEach(() => {
  world = new TestReport();
});

describe('a day without faults', () => {
  test('nothing is reported before the day and its grace are over, then its zone and all zones', async () => {
    await world.deliver(
      await world.book({
        chunks: [
          [
            [3, null],
            [4, 'daily_quota_exceeded'],
          ],
        ],
      }),
    );
    expect(await world.closeAt('2026-11-30T00:14:59.000Z')).toEqual([]);
    expect(await world.closeAt(due)).toEqual([`${date} UTC`, `${date} all`]);
    const report = await world.report();
    expect(report).toMatchObject({ state: 'complete', run: 1, missing: [] });
    expect(report.accounts).toMatchObject([
      { accountId: 'acme', used: 3, granted: 1, rejected: 1, rejectedCost: 4, reconciliation: { state: 'agrees' } },
    ]);
  });

  test('the event tells the totals and the digests of the files that lie there', async () => {
    await world.deliver(await world.book());
    await world.closeAt(due);
    for (const { detailType, detail } of world.published) expect(eventDetails[detailType].allows(detail)).toBe(true);
    const [event] = world.published;
    if (event?.detailType !== 'Daily Quota Report') throw new Error('no report was told of');
    const { files, totals } = event.detail.data;
    expect(totals).toEqual({
      accounts: 1,
      granted: { count: 1, cost: 3 },
      rejected: { count: 0, cost: 0, byReason: {} },
    });
    expect(files.length).toBeGreaterThan(2);
    for (const { name, bytes, sha256 } of files) {
      const text = world.files.texts.get(name) ?? '';
      expect(sealOf({ name, mediaType: '', content: [text] })).toEqual({ name, bytes, sha256 });
    }
  });

  test('another run of the closer says nothing twice; after 72 hours the report is final and says which it supersedes', async () => {
    await world.deliver(await world.book());
    await world.closeAt(due);
    expect(await world.closeAt('2026-11-30T00:30:00.000Z')).toEqual([]);
    expect(await world.closeAt('2026-12-03T00:00:00.000Z')).toContain(`${date} UTC`);
    expect(await world.report()).toMatchObject({ state: 'final', run: 2, supersedes: `${date}#UTC#report#1` });
    expect(await world.closeAt('2026-12-04T13:00:00.000Z')).not.toContain(`${date} UTC`);
    expect(await world.runs.progress()).toMatchObject({ finalThrough: date });
  });

  test('an account with a policy and no booking has a day without use, in the zone of its policy', async () => {
    world.days.setPolicy('quiet', { timezone: 'Europe/Berlin' });
    await world.closeAt(noon);
    expect(await world.closeAt('2026-11-29T23:15:00.000Z')).toEqual([`${date} Europe/Berlin`, `${date} all`]);
    expect((await world.report('Europe/Berlin')).accounts).toMatchObject([
      { accountId: 'quiet', used: 0, bookings: 0 },
    ]);
  });

  test('an account that was seen on a day before has a day without use', async () => {
    await world.deliver(await world.book());
    await world.closeAt(due);
    await world.closeAt('2026-12-01T00:15:00.000Z');
    expect((await world.report('UTC', '2026-11-30')).accounts).toMatchObject([{ accountId: 'acme', used: 0 }]);
  });

  test('the day before the first closer is told of where it was not over, and of accounts that booked on it', async () => {
    world.days.setPolicy('over', {});
    world.days.setPolicy('west', { timezone: 'Pacific/Honolulu' });
    expect(await world.closeAt(due)).toEqual([]);
    await world.deliver(await world.book({ accountId: 'early' }));
    expect(await world.closeAt('2026-11-30T00:30:00.000Z')).toEqual([`${date} UTC`]);
    expect((await world.report()).accounts).toMatchObject([{ accountId: 'early', used: 3 }]);
    expect(await world.closeAt('2026-11-30T10:15:00.000Z')).toEqual([`${date} Pacific/Honolulu`, `${date} all`]);
    expect((await world.report('all')).accounts).toMatchObject([
      { accountId: 'early' },
      { accountId: 'west', used: 0 },
    ]);
    await world.closeAt('2026-12-01T10:15:00.000Z');
    expect((await world.report('all', '2026-11-30')).accounts.map(({ accountId }) => accountId)).toEqual([
      'early',
      'over',
      'west',
    ]);
  });

  test('an account-day of two zones is told in the one that ends last, and once over all', async () => {
    const berlin = await world.book({ timezone: 'Europe/Berlin' });
    await world.deliver([...berlin, ...(await world.book({ key: 'key-2', timezone: 'America/New_York' }))]);
    await world.deliver(await world.book({ accountId: 'other', timezone: 'Europe/Berlin' }));
    await world.closeAt('2026-11-30T05:15:00.000Z');
    expect((await world.report('Europe/Berlin')).accounts.map(({ accountId }) => accountId)).toEqual(['other']);
    expect((await world.report('America/New_York')).accounts).toMatchObject([{ accountId: 'acme', used: 6 }]);
    expect((await world.report('all')).accounts).toMatchObject([
      { accountId: 'acme', used: 6 },
      { accountId: 'other' },
    ]);
  });
});

describe('events that come twice, late, out of order, or never', () => {
  const chunks = [[[3, null]], [[4, null]]] as const;

  test('an event delivered twice counts once, and is told as a repeat', async () => {
    const events = await world.book({ chunks });
    await world.deliver(events.toReversed());
    await world.deliver(events.slice(0, 1));
    await world.closeAt(due);
    expect((await world.report()).accounts).toMatchObject([{ grantedCost: 7, repeats: 1, late: 0 }]);
  });

  test('a message that is handed out again is no repeat', async () => {
    const [event] = await world.book();
    if (event === undefined) throw new Error('no event');
    const message = world.message(event);
    await world.consume(message, message);
    await world.consume(message);
    await world.closeAt(due);
    expect((await world.report()).accounts).toMatchObject([{ grantedCost: 3, repeats: 0 }]);
  });

  test('a deleted event shows as missing and as drift, and the report stays provisional', async () => {
    await world.deliver((await world.book({ chunks })).slice(1));
    await world.closeAt(due);
    const report = await world.report();
    expect(report.state).toBe('provisional');
    expect(report.missing).toMatchObject([{ accountId: 'acme', kind: 'chunks', chunks: '0', count: 1 }]);
    expect(report.accounts[0]?.reconciliation).toMatchObject({
      state: 'drift',
      differences: [{ figure: 'granted', counter: 7, events: 4, ledger: 7 }],
    });
  });

  test('an account whose every event was lost is in the report all the same', async () => {
    await world.book();
    await world.closeAt(due);
    expect((await world.report()).accounts).toMatchObject([{ accountId: 'acme', reconciliation: { state: 'drift' } }]);
  });

  test('a late event makes one new report, which supersedes the one before', async () => {
    const events = await world.book({ chunks });
    await world.deliver(events.slice(1));
    await world.closeAt(due);
    await world.closeAt('2026-11-30T12:00:00.000Z');
    await world.deliver(events.slice(0, 1));
    expect(await world.closeAt('2026-11-30T12:15:00.000Z')).toContain(`${date} UTC`);
    expect(await world.report()).toMatchObject({
      state: 'complete',
      run: 2,
      supersedes: `${date}#UTC#report#1`,
      accounts: [{ grantedCost: 7, late: 1, reconciliation: { state: 'agrees' } }],
    });
    expect(await world.closeAt('2026-11-30T12:30:00.000Z')).toEqual([]);
  });

  test('two replays of the archive change nothing, and no new report is told', async () => {
    const events = await world.book({ chunks });
    await world.deliver(events);
    await world.closeAt(due);
    const before = await world.report();
    for (const replay of ['one', 'two']) {
      world.restart();
      await world.deliver(events, { replay });
      expect(await world.closeAt('2026-11-30T12:00:00.000Z')).toEqual([]);
    }
    expect(await world.report()).toEqual(before);
  });

  test('a replay brings back what was lost', async () => {
    const events = await world.book({ chunks });
    await world.deliver(events.slice(1));
    await world.closeAt(due);
    await world.deliver(events, { replay: 'one' });
    expect(await world.closeAt('2026-11-30T12:00:00.000Z')).toContain(`${date} UTC`);
    expect((await world.report()).accounts).toMatchObject([{ grantedCost: 7, repeats: 0, late: 1 }]);
  });

  test('a quarantined chunk is accounted for, though its event comes long after', async () => {
    const [event] = await world.book({ stuck: 1 });
    if (event?.detailType !== 'Quota Usage Recorded') throw new Error('no event');
    await world.deliver([event]);
    await world.closeAt(due);
    expect((await world.report()).missing).toMatchObject([{ kind: 'chunks', chunks: '1' }]);
    const { bookingId } = event.detail.data;
    await world.deliver([
      quarantined({ accountId: 'acme', bookingId, chunk: 1, occurredAt: '2026-12-01T12:00:00.000Z' }),
    ]);
    expect(await world.closeAt('2026-12-01T12:15:00.000Z')).toContain(`${date} UTC`);
    expect(await world.report()).toMatchObject({ state: 'complete', accounts: [{ quarantined: 1 }] });
  });

  test("a body that names another account's booking accounts for none of it", async () => {
    const [event] = await world.book({ stuck: 1 });
    if (event?.detailType !== 'Quota Usage Recorded') throw new Error('no event');
    const { bookingId } = event.detail.data;
    await world.deliver([event, quarantined({ accountId: 'rogue', bookingId, chunk: 1 })]);
    await world.closeAt(due);
    expect((await world.report()).missing).toMatchObject([{ kind: 'chunks', chunks: '1' }]);
  });

  test('a message that names no account is in the report of all zones', async () => {
    await world.deliver(await world.book());
    await world.deliver([quarantined({})]);
    await world.closeAt(due);
    expect((await world.report('all')).totals.quarantinedByReason).toEqual({ processing_failed: 1 });
    expect((await world.report('UTC')).totals.quarantinedByReason).toEqual({});
  });

  test('a booking that the index does not show yet is read by its header, with its ledger and the chunks it lacks', async () => {
    class LaggingDays extends MemoryDays {
      override async *bookings() {}
    }
    const { accounts } = world;
    const days = new LaggingDays({ accounts, defaultPolicy: builtInPolicy });
    Object.assign(world, { days });
    world.restart();
    await world.closeAt(noon);
    await world.deliver(await world.book({ chunks, stuck: 1 }));
    await world.deliver(await world.book({ accountId: 'other' }));
    await world.closeAt(due);
    const report = await world.report();
    expect(report.missing).toMatchObject([{ accountId: 'acme', kind: 'chunks', chunks: '2' }]);
    expect(report.reconciliation).toMatchObject({ agrees: 2, drift: 0 });
  });

  test('a booking that is still being accepted holds the report back', async () => {
    await world.deliver(await world.book());
    await world.book({ key: 'key-2', chunks: [], stuck: 1, state: 'accepting' });
    await world.closeAt(due);
    expect(await world.report()).toMatchObject({ state: 'provisional', missing: [{ kind: 'acceptance' }] });
  });

  test('a fact of a day that is final is a correction in a later report, once', async () => {
    const events = await world.book({ chunks });
    await world.deliver(events.slice(1));
    for (const at of [due, '2026-12-01T12:15:00.000Z', '2026-12-02T12:15:00.000Z', '2026-12-03T12:15:00.000Z']) {
      await world.closeAt(at);
    }
    const final = await world.report();
    expect(final).toMatchObject({ state: 'final', accounts: [{ grantedCost: 4 }] });
    await world.deliver(events.slice(0, 1));
    await world.closeAt('2026-12-03T12:30:00.000Z');
    expect(await world.report()).toEqual(final);
    await world.closeAt('2026-12-04T00:15:00.000Z');
    const later = await world.report('UTC', '2026-12-03');
    expect(later.corrections).toMatchObject([
      { date, accountId: 'acme', before: { grantedCost: 4 }, after: { grantedCost: 7 } },
    ]);
    await world.closeAt('2026-12-05T00:15:00.000Z');
    expect((await world.report('UTC', '2026-12-04')).corrections).toEqual([]);
  });

  test('dead letters are told with the instant they were looked at', async () => {
    world.dead = [{ queue: 'usher-bookings-dead.fifo', messages: 2 }];
    await world.deliver(await world.book({ acceptedAt: noon }));
    await world.closeAt(due);
    expect((await world.report()).deadLetters).toEqual([
      { queue: 'usher-bookings-dead.fifo', messages: 2, lookedAt: due },
    ]);
  });
});
