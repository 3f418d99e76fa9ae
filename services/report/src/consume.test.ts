import { dayShards } from '@usher/contracts';
import { expect, test } from 'vitest';
import { reportMetrics } from './metrics.ts';
import { factId } from './store/event-facts.ts';
import { MemoryEventFacts } from './store/memory-event-facts.ts';
import { date, record, TestReport } from './testing/test-report.ts';

test('what cannot be read comes again alone, and its content is not logged', async () => {
  const world = new TestReport();
  const [event] = await world.book();
  if (event === undefined) throw new Error('no event');
  const odd = { id: 'e', 'detail-type': event.detailType, detail: { ...event.detail, data: { secret: 'xyzzy' } } };
  const answer = await world.consume(record('m-1', 0, 'no json'), record('m-2', 0, odd), world.message(event));
  expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: 'm-1' }, { itemIdentifier: 'm-2' }] });
  expect(world.logged.map(({ message }) => message)).toEqual(Array(2).fill('An event could not be stored'));
  expect(JSON.stringify(world.logged)).not.toContain('xyzzy');
  expect(await world.facts.usage('acme', date)).toHaveLength(1);
  expect(world.metrics.get(reportMetrics.factFailures)).toBe(2);
});

test.each([
  ['resetsAt', '9999-12-31T00:00:00.000Z', 'data.window.resetsAt must be about a day after startsAt'],
  ['startsAt', '1970-01-01T00:00:00.000Z', 'data.window.resetsAt must be about a day after startsAt'],
  ['date', '2027-11-29', 'data.window.date must be the local day that begins at startsAt'],
])('an event whose window has an odd %s is refused, before its hours are counted', async (field, value, expected) => {
  const world = new TestReport();
  const [event] = await world.book();
  if (event?.detailType !== 'Quota Usage Recorded') throw new Error('no event');
  const { data } = event.detail;
  const detail = { ...event.detail, data: { ...data, window: { ...data.window, [field]: value } } };
  const message = record('m-1', 0, { id: 'e', 'detail-type': event.detailType, detail });
  expect((await world.consume(message)).batchItemFailures).toHaveLength(1);
  expect(JSON.stringify(world.logged)).toContain(expected);
});

test('an event that reports take nothing of is taken from the queue', async () => {
  const world = new TestReport();
  const other = record('m-1', 0, { id: 'e', 'detail-type': 'Quota Threshold Reached', detail: {} });
  expect(await world.consume(other)).toEqual({ batchItemFailures: [] });
});

test('a fact that was not put comes again, and the others stay', async () => {
  const world = new TestReport();
  const events = await world.book({ chunks: [[[3, null]], [[4, null]]] });
  const refused = world.facts;
  world.restart({
    facts: {
      put: async ({ usage, quarantined }) => {
        await refused.put({ usage: usage.slice(1), quarantined });
        return new Map(
          usage.slice(0, 1).map((fact) => [`${fact.event.metadata.id}#${fact.delivery.id}`, new Error('no')]),
        );
      },
      noteAccounts: (accountIds) => refused.noteAccounts(accountIds),
      noteLate: (marks) => refused.noteLate(marks),
      usage: (accountId, of) => refused.usage(accountId, of),
      quarantined: (day) => refused.quarantined(day),
      accounts: (shard) => refused.accounts(shard),
      marks: () => refused.marks(),
    },
  });
  const messages = events.map((event) => world.message(event));
  expect(await world.consume(...messages)).toEqual({ batchItemFailures: [{ itemIdentifier: messages[0]?.messageId }] });
  expect(await world.facts.usage('acme', date)).toHaveLength(1);
});

test('a usage event leaves a mark from a minute before its report is due, to the millisecond', async () => {
  const world = new TestReport();
  const [event] = await world.book();
  if (event === undefined) throw new Error('no event');
  world.clock.advance(Date.parse('2026-11-30T00:13:59.999Z') - world.clock());
  await world.deliver([event]);
  expect(await world.facts.marks()).toEqual([]);
  world.clock.advance(1);
  await world.deliver([event]);
  expect(await world.facts.marks()).toEqual([{ date, storedAtMs: world.clock() }]);
  expect(world.metrics.get(reportMetrics.lateFacts)).toBe(1);
});

test('a fact that was not put leaves no mark and no account', async () => {
  const world = new TestReport();
  const [event] = await world.book();
  if (event === undefined) throw new Error('no event');
  world.clock.advance(86_400_000);
  class FullFacts extends MemoryEventFacts {
    override async put({ usage }: Parameters<MemoryEventFacts['put']>[0]) {
      return new Map(usage.map((fact) => [factId(fact), new Error('no room')]));
    }
  }
  const facts = new FullFacts();
  world.restart({ facts });
  expect((await world.consume(world.message(event))).batchItemFailures).toHaveLength(1);
  expect(await facts.marks()).toEqual([]);
  for (let shard = 0; shard < dayShards; shard++) for await (const one of facts.accounts(shard)) expect(one).toBe('');
});
