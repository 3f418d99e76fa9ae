import type { PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { expect, test } from 'vitest';
import { bookedChunk } from './decode.ts';
import { entryBytes, type OutgoingEvent, type PublishOptions, publishEvents } from './eventbridge-events.ts';
import { eventsOf } from './events.ts';
import { chunkOf, outcomeOf } from './testing/messages.ts';
import { type PutAnswer, published, scriptedEventBridge } from './testing/scripted-clients.ts';
import { eventIdOf, instantRetry } from './testing/test-worker.ts';

/** A bus whose calls a script answers. */
function bus(script: (entries: readonly PutEventsRequestEntry[], call: number) => PutAnswer | Error = published) {
  const calls: string[][] = [];
  const sizes: number[] = [];
  const eventBridge = scriptedEventBridge((entries) => {
    calls.push(entries.map(({ Detail = '' }) => eventIdOf(Detail)));
    sizes.push(entries.reduce((total, entry) => total + entryBytes(entry), 0));
    return script(entries, calls.length);
  });
  const options: PublishOptions = { eventBridge, eventBusName: 'usher', retry: instantRetry };
  return { calls, sizes, options };
}

/** The rejection event of one delivery, with a row id of the given length per rejected row. */
function rejection(chunk: number, ids: readonly string[]): OutgoingEvent {
  const rows = ids.map((id) => ({ id, cost: 1 }));
  const outcome = outcomeOf([], { reasons: ids.map(() => 'daily_quota_exceeded' as const), rejectedCost: ids.length });
  const [event] = eventsOf({ ...bookedChunk(chunkOf({ chunk })), rows }, outcome);
  if (event === undefined) throw new Error('no event');
  return { delivery: { messageId: `m-${chunk}` }, event };
}

const idOf = ({ event }: OutgoingEvent): string => event.detail.metadata.id;
const small = (count: number): OutgoingEvent[] => Array.from({ length: count }, (_, i) => rejection(i, ['r']));

test('a call takes at most ten entries', async () => {
  const { calls, options } = bus();
  expect(await publishEvents(small(23), options)).toEqual(new Set());
  expect(calls.map(({ length }) => length)).toEqual([10, 10, 3]);
});

test('an entry names bus, source, kind and the time of the decision', async () => {
  const { options } = bus();
  let seen: PutEventsRequestEntry | undefined;
  const eventBridge = scriptedEventBridge((entries) => {
    seen = entries[0];
    return published(entries);
  });
  await publishEvents(small(1), { ...options, eventBridge });
  expect(seen).toMatchObject({
    EventBusName: 'usher',
    Source: 'usher.quota',
    DetailType: 'Reservations Rejected',
    Time: new Date('2026-11-29T12:00:00.000Z'),
  });
});

test('case 12: a call takes less than 256 KB by the size rule, in UTF-8 bytes and not in characters', async () => {
  const { calls, sizes, options } = bus();
  const ids = Array.from({ length: 100 }, (_, i) => `${i}`.padEnd(128, '𝄞').slice(0, 128));
  const events = Array.from({ length: 10 }, (_, chunk) => rejection(chunk, ids));
  expect(JSON.stringify(events.map(({ event }) => event)).length).toBeLessThan(256 * 1024);
  await publishEvents(events, options);
  expect(calls.length).toBeGreaterThan(1);
  expect(calls.flat()).toEqual(events.map(idOf));
  for (const size of sizes) expect(size).toBeLessThan(256 * 1024);
});

test('two events that make 256 KB exactly are two calls, and one byte less is one call', async () => {
  const pair = (padding: number): OutgoingEvent[] => [
    rejection(0, ['r'.repeat(200_000 + padding)]),
    rejection(1, ['r']),
  ];
  const measured = bus();
  await publishEvents(pair(0), measured.options);
  const room = 256 * 1024 - (measured.sizes[0] ?? 0);
  const below = bus();
  await publishEvents(pair(room - 1), below.options);
  const exact = bus();
  await publishEvents(pair(room), exact.options);
  expect([below.sizes, exact.calls.length]).toEqual([[256 * 1024 - 1], 2]);
});

test('the size of an entry counts its time, source, kind and detail', () => {
  expect(entryBytes({ Source: 'ab', DetailType: 'é', Detail: '𝄞', EventBusName: 'not counted' })).toBe(14 + 2 + 2 + 4);
});

/** Keeps the problem of each failure, with its deliveries. */
function tellingIn(failures: unknown[]): NonNullable<PublishOptions['onFailure']> {
  return (problem, untaken) => failures.push([String(problem), ...untaken.map(({ delivery }) => delivery.messageId)]);
}

test('case 10: of a call that answers 200 only the failed entry is sent again, with the same id', async () => {
  const { calls, options } = bus((entries, call) =>
    call === 1
      ? { FailedEntryCount: 1, Entries: [{ ErrorCode: 'ThrottlingException' }, { EventId: 'e' }] }
      : published(entries),
  );
  const [first, second] = small(2).map(idOf);
  expect(await publishEvents(small(2), options)).toEqual(new Set());
  expect(calls).toEqual([[first, second], [first]]);
});

test('an entry that a short answer does not name counts as failed', async () => {
  const { calls, options } = bus((entries, call) =>
    call === 1 ? { FailedEntryCount: 0, Entries: [{ EventId: 'e' }, { EventId: 'f' }] } : published(entries),
  );
  expect(await publishEvents(small(3), options)).toEqual(new Set());
  expect(calls[1]).toEqual(small(3).slice(2).map(idOf));
});

test('an answer without entries fails all of them', async () => {
  const { options } = bus(() => ({}));
  expect(await publishEvents(small(2), options)).toEqual(new Set(['m-0', 'm-1']));
});

test('a call that fails as a whole is tried four times, then its deliveries are given back', async () => {
  const failures: unknown[] = [];
  const { calls, options } = bus(() => new Error('connection reset'));
  const failed = await publishEvents(small(2), { ...options, onFailure: tellingIn(failures) });
  expect(failed).toEqual(new Set(['m-0', 'm-1']));
  expect(calls).toHaveLength(4);
  expect(failures).toEqual(Array(4).fill(['Error: connection reset', 'm-0', 'm-1']));
});

test('what EventBridge said is told by its codes, with the events that were not taken, left out ones too', async () => {
  const failures: unknown[] = [];
  const onFailure = tellingIn(failures);
  const codes = [undefined, 'InternalFailure', 'ThrottlingException', 'InternalFailure'];
  const mixed = bus(() => ({
    Entries: codes.map((code) => (code === undefined ? { EventId: 'e' } : { ErrorCode: code })),
  }));
  await publishEvents(small(4), { ...mixed.options, maxAttempts: 1, onFailure });
  const short = bus(() => ({ Entries: [{ EventId: 'e' }] }));
  await publishEvents(small(2), { ...short.options, maxAttempts: 1, onFailure });
  expect(failures).toEqual([
    ['NotTakenError: InternalFailure (2), ThrottlingException (1)', 'm-1', 'm-2', 'm-3'],
    ['NotTakenError: not in the answer (1)', 'm-1'],
  ]);
});

test('an event too large for any call is sent alone, for EventBridge to refuse, and no call is empty', async () => {
  const { calls, options } = bus();
  await publishEvents([rejection(0, ['r'.repeat(300_000)]), rejection(1, ['r'])], options);
  expect(calls.map(({ length }) => length)).toEqual([1, 1]);
});

test('a call given up does not keep the next from being made', async () => {
  const { options } = bus((entries) => (entries.length === 10 ? new Error('down') : published(entries)));
  expect((await publishEvents(small(12), options)).size).toBe(10);
});

test('no call begins once the time is over', async () => {
  const { calls, options } = bus();
  const failed = await publishEvents(small(12), { ...options, isOverdue: () => calls.length > 0 });
  expect(failed).toEqual(new Set(['m-10', 'm-11']));
});

test('no retry begins once the time is over', async () => {
  const { calls, options } = bus(() => new Error('slow'));
  await publishEvents(small(1), { ...options, isOverdue: () => calls.length > 0 });
  expect(calls).toHaveLength(1);
});
