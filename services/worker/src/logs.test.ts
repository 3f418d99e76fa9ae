import { describe, expect, test } from 'vitest';
import { toPacing } from './hand-off.ts';
import { chunk, idOf, settled, settledAt } from './testing/deliver.ts';
import { deliveryOf } from './testing/messages.ts';
import { taken } from './testing/scripted-clients.ts';
import { ScriptedStore } from './testing/scripted-store.ts';
import { settledInTurn } from './testing/slots.ts';
import { queues, TestWorker } from './testing/test-worker.ts';

function scripted() {
  const store = new ScriptedStore();
  return { store, worker: new TestWorker({ store }) };
}

const frames = { stack: expect.stringMatching(/^ {4}at /) };
/** An error of a service, as an AWS client throws it. */
const serviceError = (name: string, message: string): Error =>
  Object.assign(new Error(message), { name, $metadata: { attempts: 3 } });

describe('an error is logged in one shape, with its account', () => {
  test('where a chunk could not be settled', async () => {
    const { store, worker } = scripted();
    store.failingWrites.set('ada', 'before');
    await settled(worker, { a: chunk('ada', 0) });
    const { bookingId } = chunk('ada', 0);
    expect(worker.logged).toEqual([
      {
        level: 'error',
        message: 'A chunk could not be settled',
        fields: { accountId: 'ada', bookingId, chunk: 0, messageId: 'a', error: { name: 'Error', ...frames } },
      },
      { level: 'warn', message: 'Messages are handed back', fields: { accountId: 'ada', messageIds: ['a'] } },
    ]);
  });

  test('where the policy cannot be read: once for the account, and counted', async () => {
    const { store, worker } = scripted();
    store.setOverrides('ada', { dailyLimit: 'many' });
    expect(await settled(worker, { a: chunk('ada', 0), b: chunk('ada', 1), c: chunk('bob', 0) })).toEqual(['a', 'b']);
    expect(await worker.used('bob')).toBe(1);
    const error = {
      name: 'InvalidPolicyError',
      message: expect.stringContaining('dailyLimit must be a number'),
      ...frames,
    };
    expect(worker.logged).toContainEqual({
      level: 'error',
      message: "An account's policy cannot be read",
      fields: { accountId: 'ada', error },
    });
    expect(worker.metrics.get('UnreadablePolicies')).toBe(1);
  });

  test('where a wrong clock has scheduled a bucket: how far ahead it was', async () => {
    const { store, worker } = scripted();
    const aheadMs = 30 * 3_600_000;
    const wrong = new TestWorker({ store });
    wrong.clock.advance(aheadMs);
    await settled(wrong, { a: chunk('ada', 0) });
    await settled(worker, { b: chunk('ada', 1), c: chunk('bob', 0) });
    const message = 'A bucket was scheduled by a wrong clock';
    expect(worker.logged).toContainEqual({ level: 'warn', message, fields: { accountId: 'ada', aheadMs } });
    expect(worker.metrics.get('WrongClocks')).toBe(1);
    expect(wrong.metrics.get('WrongClocks')).toBeUndefined();
  });

  test('where events were not taken: the codes, for each account', async () => {
    const { worker } = scripted();
    worker.answerPut = (entries) => ({ Entries: entries.map(() => ({ ErrorCode: 'ThrottlingException' })) });
    await settled(worker, { a: chunk('ada', 0), b: chunk('ada', 1), c: chunk('bob', 0) });
    const error = { name: 'NotTakenError', message: 'ThrottlingException (3)', ...frames };
    expect(worker.logged).toContainEqual({
      level: 'warn',
      message: 'Events were not taken',
      fields: { accountId: 'ada', entries: 2, error },
    });
    expect(worker.logged).toContainEqual({
      level: 'warn',
      message: 'Events were not taken',
      fields: { accountId: 'bob', entries: 1, error },
    });
  });

  test('where the bus did not answer', async () => {
    const { worker } = scripted();
    worker.answerPut = () => serviceError('AccessDeniedException', 'not authorized to perform: events:PutEvents');
    await settled(worker, { a: chunk('ada', 0) });
    const error = { name: 'AccessDeniedException', message: 'not authorized to perform: events:PutEvents', ...frames };
    expect(worker.logged).toContainEqual({
      level: 'warn',
      message: 'Events were not taken',
      fields: { accountId: 'ada', entries: 1, error },
    });
  });

  test('where messages were not taken: the codes, the queue, for each account', async () => {
    const { worker } = scripted();
    worker.answerSend = ({ entries }) => ({
      Successful: [],
      Failed: entries.map(({ Id }) => ({ Id, Code: 'InternalError', SenderFault: false })),
    });
    await settled(worker, { a: chunk('ada', 0), b: chunk('bob', 0) });
    const error = { name: 'NotTakenError', message: 'InternalError (2)', ...frames };
    for (const accountId of ['ada', 'bob']) {
      const fields = { accountId, queueUrl: queues.dispatch, entries: 1, error };
      expect(worker.logged).toContainEqual({ level: 'warn', message: 'Messages were not taken', fields });
    }
  });

  test('where a quarantined message was not taken, and where it was', async () => {
    const { worker } = scripted();
    worker.answerSend = () => serviceError('TimeoutError', 'the request timed out');
    const Records = [deliveryOf(chunk('ada', 0), 'forged', 'bob')];
    await worker.settle({ Records });
    const error = { name: 'TimeoutError', message: 'the request timed out', ...frames };
    const fields = { accountId: 'bob', queueUrl: queues.quarantine, entries: 1, error };
    expect(worker.logged).toContainEqual({ level: 'warn', message: 'Messages were not taken', fields });
    expect(worker.logged).toContainEqual({
      level: 'warn',
      message: 'Messages are handed back',
      fields: { accountId: 'bob', messageIds: ['forged'] },
    });
    worker.answerSend = ({ entries }) => taken(entries);
    await worker.settle({ Records });
    expect(worker.logged).toContainEqual({
      level: 'error',
      message: 'A message is quarantined',
      fields: { accountId: 'bob', messageId: 'forged', reason: 'group_mismatch' },
    });
  });

  test('where code failed on a message', async () => {
    const { store, worker } = scripted();
    const message = chunk('ada', 0);
    await settled(worker, { a: message });
    store.untellable.add(idOf(message));
    await settledAt(worker, 2, { a: message });
    const error = { name: 'RangeError', ...frames };
    expect(worker.logged).toContainEqual({
      level: 'error',
      message: 'A message could not be processed',
      fields: { accountId: 'ada', messageId: 'a', error },
    });
  });

  test('where the pacer hands back', async () => {
    const { worker } = scripted();
    const [own] = settledInTurn({ chunks: [[1]], rate: { refillPerSecond: 1, burst: 1 }, accountId: 'ada' });
    if (own === undefined) throw new Error('no chunk');
    worker.answerSend = () => serviceError('TimeoutError', 'the request timed out');
    await worker.pace({ Records: [deliveryOf(JSON.stringify(toPacing(own, 'settled')), 'p')] });
    expect(worker.logged.at(-1)).toEqual({
      level: 'warn',
      message: 'Messages are handed back',
      fields: { accountId: 'ada', messageIds: ['p'] },
    });
  });
});
