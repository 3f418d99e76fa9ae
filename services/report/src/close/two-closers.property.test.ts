import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { sealOf } from '../forms/file.ts';
import type { ReportPorts } from '../ports.ts';
import { date, due, TestReport } from '../testing/test-report.ts';
import { close } from './close.ts';

/** The ports with every call of runs, files and the bus in an order that the scheduler picks. */
function scheduled(ports: ReportPorts, scheduler: fc.Scheduler): ReportPorts {
  const { runs, files, publish } = ports;
  const at = <A extends unknown[], T>(call: (...of: A) => Promise<T>) => scheduler.scheduleFunction<A, T>(call);
  return {
    ...ports,
    publish: at(publish),
    files: { put: at(files.put.bind(files)), read: files.read.bind(files) },
    runs: {
      read: at(runs.read.bind(runs)),
      ofDate: at(runs.ofDate.bind(runs)),
      write: at(runs.write.bind(runs)),
      progress: runs.progress.bind(runs),
      setProgress: runs.setProgress.bind(runs),
      corrections: at(runs.corrections.bind(runs)),
      addCorrection: at(runs.addCorrection.bind(runs)),
      carryCorrection: at(runs.carryCorrection.bind(runs)),
    },
  };
}

/** Two closers at an instant, whose calls mix. */
async function closeTwiceAt(world: TestReport, at: string, scheduler: fc.Scheduler): Promise<void> {
  world.clock.advance(Date.parse(at) - world.clock());
  // Each look at the clock is a moment later, so that what either closer writes is its own.
  const clock = (): number => {
    world.clock.advance(1);
    return world.clock();
  };
  const ports = scheduled(world.ports({ clock }), scheduler);
  await scheduler.waitFor(Promise.all([close(ports), close(ports)]));
}

function expectToldOnce({ published, files }: TestReport): void {
  const texts = new Map<string, string>();
  for (const event of published) {
    const text = JSON.stringify(event);
    const { id } = event.detail.metadata;
    expect(texts.get(id) ?? text).toBe(text);
    texts.set(id, text);
    if (event.detailType !== 'Daily Quota Report') throw new Error('another event');
    for (const { name, bytes, sha256 } of event.detail.data.files) {
      const content = [files.texts.get(name) ?? ''];
      expect(sealOf({ name, mediaType: '', content })).toEqual({ name, bytes, sha256 });
    }
  }
}

test('two closers at once tell each run once, with the files that lie there', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      const world = new TestReport();
      await world.closeAt('2026-11-29T12:30:00.000Z');
      const events = await world.book({ chunks: [[[3, null]], [[4, null]]] });
      await world.deliver(events.slice(1));
      await closeTwiceAt(world, due, scheduler);
      await world.deliver(events);
      await closeTwiceAt(world, '2026-11-30T00:30:00.000Z', scheduler);
      await closeTwiceAt(world, '2026-11-30T00:45:00.000Z', scheduler);
      expectToldOnce(world);
      expect((await world.report()).accounts).toMatchObject([{ grantedCost: 7 }]);
      expect((await world.report()).state).toBe('complete');
    }),
    { numRuns: 25 },
  );
});

test('two closers at once make each correction once', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), async (scheduler) => {
      const world = new TestReport();
      await world.closeAt('2026-11-29T12:30:00.000Z');
      const events = await world.book({ chunks: [[[3, null]], [[4, null]], [[5, null]]] });
      await world.deliver(events.slice(2));
      for (const at of [due, '2026-12-03T12:15:00.000Z']) await world.closeAt(at);
      await world.deliver(events.slice(0, 1));
      await closeTwiceAt(world, '2026-12-03T12:30:00.000Z', scheduler);
      await world.deliver(events.slice(1));
      // Three days are due at once, each of which could carry the first correction.
      for (const at of ['2026-12-06T00:15:00.000Z', '2026-12-07T00:15:00.000Z'])
        await closeTwiceAt(world, at, scheduler);
      expectToldOnce(world);
      let corrected = 0;
      for (const of of ['2026-12-01', '2026-12-02', '2026-12-03', '2026-12-04', '2026-12-05', '2026-12-06']) {
        const { corrections } = await world.report('UTC', of);
        for (const one of corrections.filter((correction) => correction.date === date)) {
          corrected += one.after.grantedCost - one.before.grantedCost;
        }
      }
      expect(corrected).toBe(7);
    }),
    { numRuns: 25 },
  );
});
