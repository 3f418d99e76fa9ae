import { describe, expect, test } from 'vitest';
import { toPacing } from './hand-off.ts';
import { chunk, idOf, settled, settledAt } from './testing/deliver.ts';
import { FaultyStore } from './testing/faulty-store.ts';
import { deliveryOf } from './testing/messages.ts';
import { taken } from './testing/scripted-clients.ts';
import { settledInTurn } from './testing/slots.ts';
import { plentyOfTime, queues, World } from './testing/world.ts';

function faulty() {
  const store = new FaultyStore();
  return { store, world: new World({ store }) };
}

const frames = { stack: expect.stringMatching(/^ {4}at /) };
/** An error of a service, as an AWS client throws it. */
const refused = (name: string, message: string): Error =>
  Object.assign(new Error(message), { name, $metadata: { attempts: 3 } });

describe('an error is logged in one shape, with its account', () => {
  test('where a chunk could not be settled', async () => {
    const { store, world } = faulty();
    store.failingWrites.set('ada', 'before');
    await settled(world, { a: chunk('ada', 0) });
    const { bookingId } = chunk('ada', 0);
    expect(world.logged).toEqual([
      {
        level: 'error',
        message: 'A chunk could not be settled',
        fields: { accountId: 'ada', bookingId, chunk: 0, messageId: 'a', error: { name: 'Error', ...frames } },
      },
      { level: 'warn', message: 'Messages are handed back', fields: { accountId: 'ada', messageIds: ['a'] } },
    ]);
  });

  test('where the policy cannot be read: once for the account, and counted', async () => {
    const { store, world } = faulty();
    store.setOverrides('ada', { dailyLimit: 'many' });
    expect(await settled(world, { a: chunk('ada', 0), b: chunk('ada', 1), c: chunk('bob', 0) })).toEqual(['a', 'b']);
    expect(await world.used('bob')).toBe(1);
    const error = {
      name: 'InvalidPolicyError',
      message: expect.stringContaining('dailyLimit must be a number'),
      ...frames,
    };
    expect(world.logged).toContainEqual({
      level: 'error',
      message: "An account's policy cannot be read",
      fields: { accountId: 'ada', error },
    });
    expect(world.metrics.get('UnreadablePolicies')).toBe(1);
  });

  test('where events were not taken: the codes, for each account', async () => {
    const { world } = faulty();
    world.answerPut = (entries) => ({ Entries: entries.map(() => ({ ErrorCode: 'ThrottlingException' })) });
    await settled(world, { a: chunk('ada', 0), b: chunk('ada', 1), c: chunk('bob', 0) });
    const error = { name: 'NotTakenError', message: 'ThrottlingException (3)', ...frames };
    expect(world.logged).toContainEqual({
      level: 'warn',
      message: 'Events were not taken',
      fields: { accountId: 'ada', entries: 2, error },
    });
    expect(world.logged).toContainEqual({
      level: 'warn',
      message: 'Events were not taken',
      fields: { accountId: 'bob', entries: 1, error },
    });
  });

  test('where the bus did not answer', async () => {
    const { world } = faulty();
    world.answerPut = () => refused('AccessDeniedException', 'not authorized to perform: events:PutEvents');
    await settled(world, { a: chunk('ada', 0) });
    const error = { name: 'AccessDeniedException', message: 'not authorized to perform: events:PutEvents', ...frames };
    expect(world.logged).toContainEqual({
      level: 'warn',
      message: 'Events were not taken',
      fields: { accountId: 'ada', entries: 1, error },
    });
  });

  test('where messages were not taken: the codes, the queue, for each account', async () => {
    const { world } = faulty();
    world.answerSend = ({ entries }) => ({
      Successful: [],
      Failed: entries.map(({ Id }) => ({ Id, Code: 'InternalError', SenderFault: false })),
    });
    await settled(world, { a: chunk('ada', 0), b: chunk('bob', 0) });
    const error = { name: 'NotTakenError', message: 'InternalError (2)', ...frames };
    for (const accountId of ['ada', 'bob']) {
      const fields = { accountId, queueUrl: queues.dispatch, entries: 1, error };
      expect(world.logged).toContainEqual({ level: 'warn', message: 'Messages were not taken', fields });
    }
  });

  test('where a quarantined message was not taken, and where it was', async () => {
    const { world } = faulty();
    world.answerSend = () => refused('TimeoutError', 'the request timed out');
    const Records = [deliveryOf(chunk('ada', 0), 'forged', 'bob')];
    await world.worker.settle({ Records }, plentyOfTime);
    const error = { name: 'TimeoutError', message: 'the request timed out', ...frames };
    const fields = { accountId: 'bob', queueUrl: queues.quarantine, entries: 1, error };
    expect(world.logged).toContainEqual({ level: 'warn', message: 'Messages were not taken', fields });
    expect(world.logged).toContainEqual({
      level: 'warn',
      message: 'Messages are handed back',
      fields: { accountId: 'bob', messageIds: ['forged'] },
    });
    world.answerSend = ({ entries }) => taken(entries);
    await world.worker.settle({ Records }, plentyOfTime);
    expect(world.logged).toContainEqual({
      level: 'error',
      message: 'A message is quarantined',
      fields: { accountId: 'bob', messageId: 'forged', reason: 'group_mismatch' },
    });
  });

  test('where code failed on a message', async () => {
    const { store, world } = faulty();
    const message = chunk('ada', 0);
    await settled(world, { a: message });
    store.untellable.add(idOf(message));
    await settledAt(world, 2, { a: message });
    const error = { name: 'RangeError', ...frames };
    expect(world.logged).toContainEqual({
      level: 'error',
      message: 'A message could not be processed',
      fields: { accountId: 'ada', messageId: 'a', error },
    });
  });

  test('where the pacer hands back', async () => {
    const { world } = faulty();
    const [own] = settledInTurn({ chunks: [[1]], rate: { refillPerSecond: 1, burst: 1 }, accountId: 'ada' });
    if (own === undefined) throw new Error('no chunk');
    world.answerSend = () => refused('TimeoutError', 'the request timed out');
    await world.worker.pace({ Records: [deliveryOf(JSON.stringify(toPacing(own)), 'p')] }, plentyOfTime);
    expect(world.logged.at(-1)).toEqual({
      level: 'warn',
      message: 'Messages are handed back',
      fields: { accountId: 'ada', messageIds: ['p'] },
    });
  });
});
