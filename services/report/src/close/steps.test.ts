import { builtInPolicy } from '@usher/limiter-core/bulk';
import { beforeEach, expect, test } from 'vitest';
import type { ReportPorts } from '../ports.ts';
import { MemoryDays } from '../store/memory-days.ts';
import { MemoryEventFacts } from '../store/memory-event-facts.ts';
import { date, due, TestReport } from '../testing/test-report.ts';

const chunks = [[[3, null]], [[4, null]]] as const;
const failing = async (): Promise<never> => {
  throw new Error('no answer');
};

let world: TestReport;
beforeEach(async () => {
  world = new TestReport();
  await world.closeAt('2026-11-29T12:30:00.000Z');
});

const closeFailing = (at: string) => expect(world.closeAt(at)).rejects.toThrow('could not be closed');

test('a date that fails is not passed over, though those behind it are final', async () => {
  await world.deliver(await world.book());
  await world.closeAt(due);
  const { files } = world;
  const put: ReportPorts['files']['put'] = (path, file) => (path.startsWith(date) ? failing() : files.put(path, file));
  world.restart({ files: { put, read: (path) => files.read(path) } });
  for (const at of ['2026-12-01T00:15:00.000Z', '2026-12-06T00:15:00.000Z']) {
    if (at.startsWith('2026-12-01')) await world.closeAt(at);
    else await closeFailing(at);
  }
  await closeFailing('2026-12-06T00:30:00.000Z');
  expect((await world.report('UTC', '2026-11-30')).state).toBe('final');
  expect(await world.runs.progress()).toMatchObject({ finalThrough: '2026-11-28' });
  world.restart();
  await world.closeAt('2026-12-06T01:00:00.000Z');
  expect((await world.report()).state).toBe('final');
});

test('a mark whose look failed is looked at by the next closer', async () => {
  const events = await world.book({ chunks });
  await world.deliver(events.slice(1));
  await world.closeAt(due);
  await world.deliver(events.slice(0, 1));
  world.restart({ deadLetters: failing });
  await closeFailing('2026-11-30T12:00:00.000Z');
  world.restart();
  expect(await world.closeAt('2026-11-30T12:15:00.000Z')).toEqual([`${date} UTC`, `${date} all`]);
  expect((await world.report()).state).toBe('complete');
});

test('the event of a final report is told once the bus is there again, and its date is not passed over before', async () => {
  await world.deliver(await world.book());
  await world.closeAt(due);
  world.restart({ publish: failing });
  for (const at of ['2026-12-03T12:15:00.000Z', '2026-12-03T12:30:00.000Z', '2026-12-03T12:45:00.000Z']) {
    await closeFailing(at);
  }
  expect(await world.runs.progress()).toMatchObject({ finalThrough: '2026-11-28' });
  world.restart();
  await world.closeAt('2026-12-03T13:00:00.000Z');
  expect(world.publishedIds()).toEqual(expect.arrayContaining([`${date}#UTC#report#2`, `${date}#all#report#2`]));
});

test.each(['the first look', 'a look that finds nothing'])(
  'an event that comes during %s is seen by the next',
  async (during) => {
    const events = await world.book({ chunks });
    let arriving = false;
    class Facts extends MemoryEventFacts {
      override async usage(accountId: string, of: string) {
        const read = await super.usage(accountId, of);
        if (arriving) {
          arriving = false;
          world.clock.advance(120_000);
          await world.deliver(events.slice(0, 1));
          world.clock.advance(300_000);
        }
        return read;
      }
    }
    world.restart({ facts: new Facts() });
    await world.deliver(events.slice(1));
    arriving = during === 'the first look';
    await world.closeAt(due);
    if (during !== 'the first look') {
      await world.deliver(events.slice(1), { replay: 'one' });
      arriving = true;
      // The look of the zone finds nothing new, and that of all zones sees the event already.
      expect(await world.closeAt('2026-11-30T12:00:00.000Z')).toEqual([`${date} all`]);
    }
    expect((await world.report()).accounts).toMatchObject([{ grantedCost: 4 }]);
    expect(await world.closeAt('2026-11-30T12:15:00.000Z')).toEqual([`${date} UTC`]);
    expect((await world.report()).accounts).toMatchObject([{ grantedCost: 7 }]);
  },
);

test('a closer that comes back after another has made its run tells nothing', async () => {
  await world.deliver(await world.book());
  const { files } = world;
  const stopped = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const put: ReportPorts['files']['put'] = async (path, file) => {
    stopped.resolve();
    await goOn.promise;
    return files.put(path, file);
  };
  world.restart({ files: { put, read: (path) => files.read(path) } });
  const first = world.closeAt(due);
  await stopped.promise;
  world.restart();
  const second = await world.closeAt('2026-11-30T00:30:00.000Z');
  expect(second).toEqual([`${date} UTC`, `${date} all`]);
  expect((await world.report()).generatedAt).toBe(due);
  const published = world.publishedIds();
  goOn.resolve();
  await first;
  expect(world.publishedIds()).toEqual(published);
  expect(await world.closeAt('2026-11-30T00:45:00.000Z')).toEqual([]);
});

test('a zone whose bookings the index shows an hour after the last day on Earth has its report, and is in that of all zones', async () => {
  let isShown = false;
  class LaggingDays extends MemoryDays {
    override async *bookings(of: string, shard: number) {
      for await (const booking of super.bookings(of, shard)) {
        if (isShown || booking.accountId === 'acme') yield booking;
      }
    }
  }
  Object.assign(world, { days: new LaggingDays({ accounts: world.accounts, defaultPolicy: builtInPolicy }) });
  world.restart();
  const events = await world.book();
  await world.book({ accountId: 'west', timezone: 'Pacific/Pago_Pago' });
  await world.closeAt(due);
  await world.deliver(events);
  expect(await world.closeAt('2026-11-30T12:15:00.000Z')).toEqual([`${date} UTC`, `${date} all`]);
  isShown = true;
  expect(await world.closeAt('2026-11-30T13:15:00.000Z')).toEqual([`${date} Pacific/Pago_Pago`, `${date} all`]);
  expect((await world.report('all')).accounts.map(({ accountId }) => accountId)).toEqual(['acme', 'west']);
});
