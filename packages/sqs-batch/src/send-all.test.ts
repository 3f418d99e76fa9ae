import { type SendMessageBatchCommandInput, type SendMessageBatchCommandOutput, SQSClient } from '@aws-sdk/client-sqs';
import { localClientConfig } from '@usher/loopback';
import { expect, test } from 'vitest';
import { type OutgoingMessage, type SendAllOptions, sendAll } from './send-all.ts';

type Answer = Partial<Pick<SendMessageBatchCommandOutput, 'Successful' | 'Failed'>>;

/** A real client whose calls a script answers in place of the network. */
function scripted(answer: (ids: string[], call: number) => Answer | Error) {
  const calls: SendMessageBatchCommandInput[] = [];
  const sqs = new SQSClient({ ...localClientConfig('http://127.0.0.1:1'), md5: false });
  sqs.middlewareStack.add(
    () => async (args) => {
      const input = args.input as SendMessageBatchCommandInput;
      calls.push(input);
      const result = answer(input.Entries?.map(({ Id }) => Id ?? '') ?? [], calls.length);
      if (result instanceof Error) throw result;
      return { response: {}, output: { $metadata: {}, ...result } };
    },
    { step: 'initialize', priority: 'low' },
  );
  return { sqs, calls };
}

const taken = (ids: string[]): NonNullable<Answer['Successful']> =>
  ids.map((Id) => ({ Id, MessageId: Id, MD5OfMessageBody: '' }));

function options(sqs: SQSClient, messages: OutgoingMessage[], more: Partial<SendAllOptions> = {}): SendAllOptions {
  const retry = { sleep: async () => undefined, random: () => 0 };
  return { sqs, queueUrl: 'http://127.0.0.1/q', messages, retry, ...more };
}

const bodies = (count: number, body = 'x'): OutgoingMessage[] => Array.from({ length: count }, () => ({ body }));
const idsOf = (call: SendMessageBatchCommandInput | undefined): unknown => call?.Entries?.map(({ Id }) => Id);

test('a call takes at most ten entries', async () => {
  const { sqs, calls } = scripted((ids) => ({ Successful: taken(ids), Failed: [] }));
  expect(await sendAll(options(sqs, bodies(23)))).toEqual(new Set());
  expect(calls.map((call) => call.Entries?.length)).toEqual([10, 10, 3]);
});

test('a call takes at most 1 MiB, counted in UTF-8 bytes', async () => {
  const { sqs, calls } = scripted((ids) => ({ Successful: taken(ids), Failed: [] }));
  await sendAll(options(sqs, bodies(3, '𝄞'.repeat(100_000))));
  expect(calls.map((call) => call.Entries?.length)).toEqual([2, 1]);
});

test('an entry named as failed is sent again, alone', async () => {
  const { sqs, calls } = scripted((ids, call) =>
    call === 1
      ? { Successful: taken(ids.slice(1)), Failed: [{ Id: ids[0], Code: 'InternalError', SenderFault: false }] }
      : { Successful: taken(ids), Failed: [] },
  );
  expect(await sendAll(options(sqs, bodies(10)))).toEqual(new Set());
  expect(idsOf(calls[1])).toEqual(['0']);
});

test('an entry that the answer does not name counts as failed', async () => {
  const { sqs, calls } = scripted((ids) => ({ Successful: taken(ids.filter((id) => id !== '9')), Failed: [] }));
  expect(await sendAll(options(sqs, bodies(10)))).toEqual(new Set([9]));
  expect(calls.length).toBe(4);
});

test("an entry that is the sender's own fault is not sent again", async () => {
  const { sqs, calls } = scripted((ids) => ({
    Successful: taken(ids.slice(1)),
    Failed: [{ Id: ids[0], Code: 'InvalidMessageContents', SenderFault: true }],
  }));
  expect(await sendAll(options(sqs, bodies(2)))).toEqual(new Set([0]));
  expect(calls.length).toBe(1);
});

test('a call that fails as a whole is tried a bounded number of times', async () => {
  const failures: unknown[] = [];
  const { sqs, calls } = scripted(() => new Error('connection reset'));
  const untaken = await sendAll(options(sqs, bodies(2), { onFailure: (problem) => failures.push(problem) }));
  expect(untaken).toEqual(new Set([0, 1]));
  expect(calls.length).toBe(4);
  expect(failures.map(String)).toEqual(Array(4).fill('Error: connection reset'));
});

test('a failure names the code of each entry, and the messages that were not taken', async () => {
  const failures: unknown[] = [];
  const { sqs } = scripted((ids) => ({
    Successful: taken(ids.slice(4)),
    Failed: [
      { Id: ids[0], Code: 'InternalError', SenderFault: false },
      { Id: ids[1], Code: 'InvalidMessageContents', SenderFault: true },
      { Id: ids[3], Code: 'InternalError', SenderFault: false },
    ],
  }));
  const onFailure = (problem: unknown, untaken: readonly number[]) => failures.push([String(problem), untaken]);
  await sendAll(options(sqs, bodies(6), { maxAttempts: 1, onFailure }));
  expect(failures).toEqual([
    ['NotTakenError: InternalError (2), InvalidMessageContents (1), not in the answer (1)', [0, 2, 3, 1]],
  ]);
});

test('an ordered send ends at a call that was given up; else the rest is still sent', async () => {
  const failing = () => scripted((ids) => (ids.includes('0') ? new Error('down') : { Successful: taken(ids) }));
  const ordered = failing();
  expect((await sendAll(options(ordered.sqs, bodies(12), { ordered: true }))).size).toBe(12);
  expect(ordered.calls.length).toBe(4);
  const unordered = failing();
  expect((await sendAll(options(unordered.sqs, bodies(12)))).size).toBe(10);
});

test('no call begins once the time is over', async () => {
  const { sqs, calls } = scripted((ids) => ({ Successful: taken(ids) }));
  expect(await sendAll(options(sqs, bodies(12), { isOverdue: () => calls.length > 0 }))).toEqual(new Set([10, 11]));
});
