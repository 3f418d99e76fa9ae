import { deflateRawSync } from 'node:zlib';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { Coverage } from './faults.ts';
import { forge, forgeableScenario, forgeEvents } from './forgery.ts';
import type { History, Violation } from './history.ts';
import { Prng } from './prng.ts';
import { checkPromises } from './promises.ts';
import { play } from './run.ts';
import { dayMs } from './times.ts';
import { World } from './world.ts';

// Every check must be able to fail. A healthy run's history is forged in one place; the check must see it.

let world: World;

beforeEach(async () => {
  world = new World(new Prng(1), forgeableScenario(), new Coverage());
  await play(world);
});

afterEach(() => {
  world.end();
});

function violations(): readonly Violation[] {
  checkPromises(world);
  return world.history.violations;
}

test('a run that nobody forged breaks nothing', () => {
  expect(violations()).toEqual([]);
});

const forgeries: readonly [string, Violation['promise'], (history: History) => void][] = [
  ['an event is missing', 3, ({ events }) => events.splice(0, events.length)],
  [
    'a usage event tells another cost',
    7,
    (history) => forgeEvents(history, 'Quota Usage Recorded', '"granted":{"count":', '"granted":{"count":9'),
  ],
  [
    'a usage event tells another reason',
    7,
    (history) => forgeEvents(history, 'Quota Usage Recorded', '"daily_quota_exceeded":', '"exceeds_limit":'),
  ],
  [
    'a usage event tells another instant',
    7,
    (history) => forgeEvents(history, 'Quota Usage Recorded', '"acceptedAt":"20', '"acceptedAt":"19'),
  ],
  [
    'a message put aside is told with another chunk',
    3,
    ({ events }) => {
      const data = { reason: 'too_old', messageId: 'm', bookingId: 'bk_none', chunk: 1 };
      const detail = JSON.stringify({ metadata: { id: 'm', occurredAt: '' }, data });
      forge(events, (one) => ({ ...one, detailType: 'Message Quarantined', detail }));
    },
  ],
  [
    'a rejection tells another usage',
    0,
    (history) => forgeEvents(history, 'Reservations Rejected', '"used":', '"used":9'),
  ],
  [
    'a threshold tells another usage',
    0,
    (history) => forgeEvents(history, 'Quota Threshold Reached', '"used":', '"used":9'),
  ],
  [
    'a threshold is missing',
    3,
    ({ events }) => {
      const kept = events.filter(({ detailType }) => detailType !== 'Quota Threshold Reached');
      events.splice(0, events.length, ...kept);
    },
  ],
  [
    'an event of one id has two contents',
    2,
    ({ events }) => {
      const [first] = events.filter(({ detailType }) => detailType === 'Quota Usage Recorded');
      if (first === undefined) throw new Error('there is no usage event');
      events.push({ ...first, detail: first.detail.replace('"limit":', '"limit":1') });
    },
  ],
  ['a dispatch is missing', 3, ({ dispatches }) => dispatches.splice(0, dispatches.length)],
  [
    'a dispatch has lost details',
    3,
    ({ dispatches }) => {
      forge(dispatches, (one) => {
        if (!one.body.includes('"details"')) return undefined;
        return { ...one, rows: one.rows.map(({ id, cost }) => ({ id, cost })) };
      });
    },
  ],
  [
    'a dispatch comes early',
    6,
    ({ dispatches }) => {
      forge(dispatches, (one) => ({ ...one, dispatchAtMs: one.atMs + 60_000 }));
    },
  ],
  [
    'the ledger has forgotten a chunk',
    3,
    ({ ledgerWrites }) => {
      const [first] = ledgerWrites;
      const kept = ledgerWrites.filter(({ key }) => key.pk !== first?.key.pk);
      ledgerWrites.splice(0, ledgerWrites.length, ...kept);
    },
  ],
  [
    'the ledger has another cost',
    2,
    ({ ledgerWrites }) => {
      forge(ledgerWrites, (one) => ({ ...one, after: { ...one.after, rows: { B: deflateRawSync('[[],[]]') } } }));
    },
  ],
  [
    "the ledger's item has lost its rows",
    3,
    ({ ledgerWrites }) => {
      forge(ledgerWrites, (one) => ({ ...one, before: one.after, after: { ...one.after, complete: { BOOL: false } } }));
    },
  ],
  ['a message that nobody can read is gone', 3, ({ poison }) => poison.push('unknown')],
  [
    'a chunk is put aside that could have been settled',
    3,
    ({ quarantined, chunks }) => {
      const [[chunkId, sent] = ['', undefined]] = chunks;
      const acceptedAt = sent?.message.acceptedAt;
      quarantined.push({ messageId: 'm', reason: 'too_old', chunkId, acceptedAt, atMs: sent?.lastSentAtMs ?? 0 });
    },
  ],
  [
    'a booking is queued with other rows',
    3,
    ({ bookings }) => {
      forge(bookings, (one) => ({ ...one, plan: { ...one.plan, rows: [...one.plan.rows, { id: 'more', cost: 1 }] } }));
    },
  ],
  [
    'a booking is taken up again after weeks',
    0,
    ({ chunks }) => {
      for (const sent of chunks.values()) sent.lastSentAtMs += 15 * dayMs;
    },
  ],
  [
    'pacing messages come back late',
    0,
    ({ paced }) => {
      forge(paced, (one) => ({ ...one, sentAtMs: one.settledAtMs, availableAtMs: one.firstDueAtMs }));
    },
  ],
  [
    'a window is of another day',
    0,
    ({ bookings }) => {
      forge(bookings, ({ accepted, ...one }) => {
        if (accepted === undefined) return undefined;
        const window = { ...accepted.answer.window, date: '2020-01-01' };
        return { ...one, accepted: { ...accepted, answer: { ...accepted.answer, window } } };
      });
    },
  ],
  [
    'a booking overtakes one accepted before it',
    5,
    ({ bookings }) => {
      const [first, ...others] = bookings.toReversed().filter(({ accepted }) => accepted !== undefined);
      for (const other of others) if (first?.accepted !== undefined) other.firstSentAtMs = first.accepted.atMs + 1;
    },
  ],
];

test.each(forgeries)('it is seen when %s', (_, promise, forgery) => {
  forgery(world.history);
  expect(violations().map((violation) => violation.promise)).toContain(promise);
});

test('it is seen when a counter is not what the ledger adds up to', () => {
  const { pk = '', sk = '' } = world.history.accountWrites.at(-1)?.key ?? {};
  const item = world.table.read({ pk, sk }) ?? {};
  const forged = Object.entries(item).map(([name, value]) => [name, name.startsWith('used:') ? { N: '1' } : value]);
  const writes = world.history.accountWrites.length;
  world.table.write({ pk, sk }, Object.fromEntries(forged));
  world.history.accountWrites.length = writes;
  expect(violations().map(({ promise }) => promise)).toContain(7);
});
