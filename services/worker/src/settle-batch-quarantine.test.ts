import { type Chunk, MessageQuarantined } from '@usher/contracts';
import { expect, test } from 'vitest';
import { chunk, idOf, settled } from './testing/deliver.ts';
import { deliveryOf } from './testing/messages.ts';
import { taken } from './testing/scripted-clients.ts';
import { ScriptedStore } from './testing/scripted-store.ts';
import { checkedDetail, handedBack, queues, TestWorker } from './testing/test-worker.ts';

const day = 86_400_000;
const named = (accountId: string, n: number) => {
  const { bookingId, chunk: place } = chunk(accountId, n);
  return { bookingId, chunk: place };
};

test('case 1: a body of { between two good chunks is put aside and acknowledged; both settle once', async () => {
  const worker = new TestWorker();
  expect(await settled(worker, { a: chunk('ada', 0), bad: '{', b: chunk('bob', 0) })).toEqual([]);
  expect([await worker.used('ada'), await worker.used('bob')]).toEqual([1, 1]);
  expect(worker.quarantined()).toMatchObject([
    { messageId: 'bad', reason: 'invalid_json', body: '{', truncated: false },
  ]);
  expect(worker.events('Message Quarantined').map(checkedDetail)).toMatchObject([
    { metadata: { id: 'bad' }, data: { reason: 'invalid_json', messageId: 'bad' } },
  ]);
  expect(worker.metrics.get('Quarantined')).toBe(1);
});

test('case 20: a first message that can never be processed holds up neither its account nor another', async () => {
  const worker = new TestWorker();
  const poison = JSON.stringify({ ...chunk('ada', 0), chunks: 0 });
  expect(await settled(worker, { bad: poison, a: chunk('ada', 1), b: chunk('bob', 0) })).toEqual([]);
  expect([await worker.used('ada'), await worker.used('bob')]).toEqual([1, 1]);
});

test.each<[string, string | Chunk, object]>([
  ['too old', chunk('ada', 4), { chunk: 4 }],
  ['of a version to come', JSON.stringify({ v: 2, ...named('ada', 5), rows: [] }), { chunk: 5 }],
  ['of another group', chunk('bob', 6), { chunk: 6 }],
  ['of a day that cannot be', chunk('ada', 7, [1], { acceptedAt: '2027-06-01T12:00:00.000Z' }), { chunk: 7 }],
  ['without a booking', JSON.stringify({ v: 1, chunk: 8 }), {}],
  ['without its place', JSON.stringify({ ...named('ada', 9), chunk: '9' }), {}],
  ['that is a list', JSON.stringify([named('ada', 9)]), {}],
  ['that is no JSON', '{', {}],
])('a message %s is told of with its chunk, where the body names one', async (_, body, expected) => {
  const worker = new TestWorker();
  worker.clock.advance(28 * day + 1);
  await worker.settle({ Records: [deliveryOf(body, 'bad', 'ada')] });
  const [event] = worker.events().map(checkedDetail);
  const { reason, messageId, accountId, bookingId, ...told } = MessageQuarantined.assert(event).data;
  expect(told).toEqual(expected);
  expect(bookingId === undefined).toBe(!('chunk' in expected));
});

test('a bad message that cannot be put aside comes again, without an event that says it was', async () => {
  const worker = new TestWorker();
  worker.answerSend = ({ queueUrl, entries }) => (queueUrl === queues.quarantine ? new Error('down') : taken(entries));
  expect(await settled(worker, { bad: '{', a: chunk('ada', 0) })).toEqual(['bad']);
  expect(worker.events('Message Quarantined')).toEqual([]);
  expect(worker.metrics.get('Quarantined')).toBe(0);
  expect(worker.dispatches()).toHaveLength(1);
});

test('a bad message whose event is not published comes again', async () => {
  const worker = new TestWorker();
  worker.answerPut = () => new Error('down');
  expect(await settled(worker, { bad: '{' })).toEqual(['bad']);
});

test('a chunk accepted more than 28 days ago that was never settled is put aside', async () => {
  const worker = new TestWorker();
  worker.clock.advance(28 * day + 1);
  const fresh = chunk('ada', 1, [1], { acceptedAt: new Date(worker.clock()).toISOString() });
  expect(await settled(worker, { old: chunk('ada', 0), fresh })).toEqual([]);
  expect(worker.quarantined()).toMatchObject([
    {
      messageId: 'old',
      reason: 'too_old',
      problem: 'the booking was accepted more than 28 days ago',
      accountId: 'ada',
    },
  ]);
  expect(worker.store.ledger().map(({ chunkIndex }) => chunkIndex)).toEqual([1]);
});

test('a known chunk id with another content is put aside and changes nothing', async () => {
  const worker = new TestWorker();
  await settled(worker, { a: chunk('ada', 0, [1]) });
  expect(await settled(worker, { forged: chunk('ada', 0, [2]), next: chunk('ada', 1) })).toEqual([]);
  expect(worker.quarantined()).toMatchObject([
    {
      messageId: 'forged',
      reason: 'digest_mismatch',
      problem: 'the chunk was settled before, with another content',
      accountId: 'ada',
    },
  ]);
  expect(worker.events('Message Quarantined').map(checkedDetail)).toMatchObject([{ data: named('ada', 0) }]);
  expect(await worker.used('ada')).toBe(2);
});

test('a bad chunk behind a failed one of its account waits for its turn, and is put aside once', async () => {
  const store = new ScriptedStore();
  const worker = new TestWorker({ store });
  await settled(worker, { a: chunk('ada', 0, [1]) });
  const batch = { late: chunk('ada', 1), forged: chunk('ada', 0, [2]) };
  store.failingEntries.add(idOf(batch.late));
  expect(await settled(worker, batch)).toEqual(['late', 'forged']);
  expect(worker.sent('quarantine')).toEqual([]);
  store.failingEntries.clear();
  expect(await settled(worker, batch)).toEqual([]);
  expect(worker.sent('quarantine')).toHaveLength(1);
});

test("a message of another account's group is put aside on behalf of the group", async () => {
  const worker = new TestWorker();
  const Records = [deliveryOf(chunk('ada', 0), 'forged', 'bob')];
  expect(handedBack(await worker.settle({ Records }))).toEqual([]);
  expect(worker.events().map(checkedDetail)).toMatchObject([{ data: { reason: 'group_mismatch', accountId: 'bob' } }]);
  expect([await worker.used('ada'), await worker.used('bob')]).toEqual([0, 0]);
});
