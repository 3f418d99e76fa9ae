import { AccountId, type Chunk, Dispatch, Pacing } from '@usher/contracts';
import type { Worker } from '@usher/worker';
import { type } from 'arktype';
import type { SQSEvent } from 'aws-lambda';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bookingIdOf, chunkOf, deliveryOf } from '../../services/worker/src/testing/messages.ts';
import { checkedDetail, TestWorker } from '../../services/worker/src/testing/test-worker.ts';
import {
  canary,
  expectCleanPrototypes,
  hostileName,
  hostileText,
  hostileValue,
  nameCanary,
  ownFields,
  textMutation,
} from '../support/hostile-values.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The message with a field replaced, added or left out, mostly none. */
function almost(message: fc.Arbitrary<object>): fc.Arbitrary<object> {
  const change = fc.oneof(
    { weight: 3, arbitrary: fc.constant((fields: Fields): object => fields) },
    {
      weight: 1,
      arbitrary: fc.tuple(fc.nat(), hostileValue).map(([at, value]) => (fields: Fields) => {
        const names = Object.keys(fields);
        return { ...fields, [names[at % names.length] ?? '']: value };
      }),
    },
    {
      weight: 1,
      arbitrary: fc
        .tuple(hostileName, hostileValue)
        .map((field) => (fields: Fields) => ownFields([...Object.entries(fields), field])),
    },
    {
      weight: 1,
      arbitrary: fc.nat().map((at) => (fields: Fields) => {
        const entries = Object.entries(fields);
        return Object.fromEntries(entries.toSpliced(at % entries.length, 1));
      }),
    },
  );
  return fc.tuple(message, change).map(([fields, apply]) => apply({ ...fields }));
}

const details = hostileText.map((note) => ({ note: note.replaceAll(/[\p{Cc}\p{Cs}]/gu, ''), n: 1 }));
const row = fc.record({ id: fc.stringMatching(/^[a-z]{2}$/), cost: fc.integer({ min: 1, max: 9 }), details });
const rows = fc.uniqueArray(almost(row), { minLength: 1, maxLength: 3, selector: (one) => JSON.stringify(one) });
const accountId = fc.constantFrom('ada', 'bob', '__proto__', 'constructor');
const bookingId = fc.nat({ max: 500 }).map((n) => bookingIdOf(n));

const chunk = almost(
  fc
    .record({ accountId, bookingId, chunk: fc.nat({ max: 3 }), reservations: rows })
    .map((fields) => ({ ...chunkOf(), ...fields })),
);
const dueRow = fc.tuple(row, fc.nat({ max: 5_000_000 })).map(([fields, afterMs]) => ({
  ...fields,
  dispatchAt: new Date(Date.parse(chunkOf().acceptedAt) + afterMs).toISOString(),
}));
const pacing = almost(
  fc
    .record({ accountId, bookingId, reservations: fc.array(almost(dueRow), { minLength: 1, maxLength: 3 }) })
    .map((fields) => ({
      v: 1,
      chunk: 0,
      settledAt: chunkOf().acceptedAt,
      refillPerSecond: 1,
      burst: 5,
      hop: 0,
      copy: 'id-1',
      ...fields,
    })),
);

/** The message as text, sometimes broken, sometimes no message at all. */
function bodyOf(message: fc.Arbitrary<object>): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 6, arbitrary: message.map((fields) => JSON.stringify(fields)) },
    { weight: 2, arbitrary: fc.tuple(message, textMutation).map(([fields, mutate]) => mutate(JSON.stringify(fields))) },
    {
      weight: 1,
      arbitrary: fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('[[[[', '"', '1e999', '{}', 'null')),
    },
  );
}

const group = fc.constantFrom('ada', 'ada', 'ada', 'bob', `#${canary}`);
const batchOf = (message: fc.Arbitrary<object>): fc.Arbitrary<SQSEvent> =>
  fc.array(fc.tuple(bodyOf(message), group), { minLength: 8, maxLength: 8 }).map((messages) => ({
    Records: messages.map(([body, groupId], i) => deliveryOf(body, `m-${i}`, ownGroup(body) ?? groupId)),
  }));

/** The account of a message that can be read, most of the time; a message in another's group is refused for that. */
function ownGroup(body: string): string | undefined {
  return /"accountId":"(ada|bob|__proto__|constructor)"/.exec(body)?.[1];
}

type Handler = keyof Worker;

/** Lets a handler work off a batch in a worker of its own, and checks all that it left by the rules. */
async function probe(handler: Handler, event: SQSEvent): Promise<{ quarantined: number; decided: number }> {
  const worker = new TestWorker();
  // The handler must not throw, and hands nothing back: no retry makes a message better.
  expect(await worker[handler](event)).toEqual({ batchItemFailures: [] });
  const quarantined = worker.sent('quarantine');
  for (const event of worker.events()) {
    checkedDetail(event);
    const shown = withoutRowIds(event.detail);
    if (shown.includes(canary) || shown.includes(nameCanary)) throw new Error(`Published: ${event.detail}`);
  }
  const seen = worker.everythingObserved();
  if (seen.includes(canary) || seen.includes(nameCanary)) throw new Error(`Logged: ${seen}`);
  for (const { body, groupId } of worker.sent('dispatch')) {
    Dispatch.assert(JSON.parse(body));
    if (!AccountId.allows(groupId)) throw new Error(`The group of a dispatch is ${groupId}`);
  }
  for (const { body } of worker.sent('pacing')) Pacing.assert(JSON.parse(body));
  for (const { body } of quarantined) {
    if (Buffer.byteLength(body) > 1_048_576 || !body.isWellFormed()) throw new Error('SQS would refuse the message.');
  }
  expect(worker.events('Message Quarantined')).toHaveLength(quarantined.length);
  expectCleanPrototypes();
  return { quarantined: quarantined.length, decided: event.Records.length - quarantined.length };
}

const Rejected = type('string.json.parse').to({ 'data?': { 'reservations?': type({ id: 'string' }).array() } });

/** An event names its rejected rows by the ids that the partner gave them; nothing else of a message is told. */
function withoutRowIds(detail: string): string {
  const event = Rejected.assert(detail);
  for (const row of event.data?.reservations ?? []) row.id = 'id';
  return JSON.stringify(event);
}

async function fuzz(handler: Handler, message: fc.Arbitrary<object>, batches: number): Promise<void> {
  let [quarantined, decided] = [0, 0];
  await fc.assert(
    fc.asyncProperty(batchOf(message), async (event) => {
      const result = await probe(handler, event);
      quarantined += result.quarantined;
      decided += result.decided;
    }),
    { numRuns: batches },
  );
  // Both sides of the border were visited.
  expect(Math.min(quarantined, decided)).toBeGreaterThan(batches / 2);
}

test('8,000 messages that are almost chunks are settled or quarantined; none throws, hangs or comes again', async () => {
  await fuzz('settle', chunk, 1_000);
});

test('4,000 messages that are almost pacing messages, too', async () => {
  await fuzz('pace', pacing, 500);
});

test.each<[string, (good: Chunk) => string]>([
  ['nested a million levels deep', () => '['.repeat(500_000) + ']'.repeat(500_000)],
  ['a list of half a million numbers', () => `[${'0,'.repeat(500_000)}0]`],
  [
    '100,000 unknown fields',
    (good) => JSON.stringify({ ...good, ...Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [i, 0])) }),
  ],
  ['a window of 400,000 elements', (good) => JSON.stringify({ ...good, window: new Array(400_000).fill(0) })],
  [
    'an id of a million characters',
    (good) => JSON.stringify({ ...good, reservations: [{ id: 'x'.repeat(1_000_000), cost: 1 }] }),
  ],
  [
    'a number of a million digits',
    (good) => JSON.stringify(good).replace('"cost":1', `"cost":${'1'.repeat(1_000_000)}`),
  ],
])('a message of 1 MiB with %s goes to quarantine like any other', async (_, bodyOfIt) => {
  const body = bodyOfIt(chunkOf());
  for (const handler of ['settle', 'pace'] as const) {
    expect(await probe(handler, { Records: [deliveryOf(body, 'm', 'ada')] })).toEqual({ quarantined: 1, decided: 0 });
  }
});
