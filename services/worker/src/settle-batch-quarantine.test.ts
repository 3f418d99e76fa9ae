import { expect, test } from 'vitest';
import { chunk, idOf, settled } from './testing/deliver.ts';
import { FaultyStore } from './testing/faulty-store.ts';
import { deliveryOf } from './testing/messages.ts';
import { taken } from './testing/scripted-clients.ts';
import { checkedDetail, handedBack, plentyOfTime, queues, World } from './testing/world.ts';

const day = 86_400_000;

test('case 1: a body of { between two good chunks is put aside and acknowledged; both settle once', async () => {
  const world = new World();
  expect(await settled(world, { a: chunk('ada', 0), bad: '{', b: chunk('bob', 0) })).toEqual([]);
  expect([await world.used('ada'), await world.used('bob')]).toEqual([1, 1]);
  expect(world.sent('quarantine').map(({ body }) => JSON.parse(body))).toMatchObject([
    { messageId: 'bad', reason: 'invalid_json', body: '{', truncated: false },
  ]);
  expect(world.events('Message Quarantined').map(checkedDetail)).toMatchObject([
    { metadata: { id: 'bad' }, data: { reason: 'invalid_json', messageId: 'bad' } },
  ]);
  expect(world.metrics.get('Quarantined')).toBe(1);
});

test('case 20: a first message that can never be processed holds up neither its account nor another', async () => {
  const world = new World();
  const poison = JSON.stringify({ ...chunk('ada', 0), chunks: 0 });
  expect(await settled(world, { bad: poison, a: chunk('ada', 1), b: chunk('bob', 0) })).toEqual([]);
  expect([await world.used('ada'), await world.used('bob')]).toEqual([1, 1]);
});

test('a bad message that cannot be put aside comes again, without an event that says it was', async () => {
  const world = new World();
  world.answerSend = ({ queueUrl, entries }) => (queueUrl === queues.quarantine ? new Error('down') : taken(entries));
  expect(await settled(world, { bad: '{', a: chunk('ada', 0) })).toEqual(['bad']);
  expect(world.events('Message Quarantined')).toEqual([]);
  expect(world.metrics.get('Quarantined')).toBe(0);
  expect(world.dispatches()).toHaveLength(1);
});

test('a bad message whose event is not published comes again', async () => {
  const world = new World();
  world.answerPut = () => new Error('down');
  expect(await settled(world, { bad: '{' })).toEqual(['bad']);
});

test('a chunk accepted more than 28 days ago that was never settled is put aside', async () => {
  const world = new World();
  world.clock.advance(28 * day + 1);
  const fresh = chunk('ada', 1, [1], { acceptedAt: new Date(world.clock()).toISOString() });
  expect(await settled(world, { old: chunk('ada', 0), fresh })).toEqual([]);
  expect(world.sent('quarantine').map(({ body }) => JSON.parse(body))).toMatchObject([
    {
      messageId: 'old',
      reason: 'too_old',
      problem: 'the booking was accepted more than 28 days ago',
      accountId: 'ada',
    },
  ]);
  expect(world.store.ledger().map(({ chunkIndex }) => chunkIndex)).toEqual([1]);
});

test('a known chunk id with another content is put aside and changes nothing', async () => {
  const world = new World();
  await settled(world, { a: chunk('ada', 0, [1]) });
  expect(await settled(world, { forged: chunk('ada', 0, [2]), next: chunk('ada', 1) })).toEqual([]);
  expect(world.sent('quarantine').map(({ body }) => JSON.parse(body))).toMatchObject([
    {
      messageId: 'forged',
      reason: 'digest_mismatch',
      problem: 'the chunk was settled before, with another content',
      accountId: 'ada',
    },
  ]);
  expect(await world.used('ada')).toBe(2);
});

test('a refused chunk behind a failed one of its account waits for its turn, and is put aside once', async () => {
  const store = new FaultyStore();
  const world = new World({ store });
  await settled(world, { a: chunk('ada', 0, [1]) });
  const batch = { late: chunk('ada', 1), forged: chunk('ada', 0, [2]) };
  store.failingRecords.add(idOf(batch.late));
  expect(await settled(world, batch)).toEqual(['late', 'forged']);
  expect(world.sent('quarantine')).toEqual([]);
  store.failingRecords.clear();
  expect(await settled(world, batch)).toEqual([]);
  expect(world.sent('quarantine')).toHaveLength(1);
});

test("a message of another account's group is put aside on behalf of the group", async () => {
  const world = new World();
  const Records = [deliveryOf(chunk('ada', 0), 'forged', 'bob')];
  expect(handedBack(await world.worker.settle({ Records }, plentyOfTime))).toEqual([]);
  expect(world.events().map(checkedDetail)).toMatchObject([{ data: { reason: 'group_mismatch', accountId: 'bob' } }]);
  expect([await world.used('ada'), await world.used('bob')]).toEqual([0, 0]);
});
