import {
  DeleteMessageCommand,
  GetQueueAttributesCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
} from '@aws-sdk/client-sqs';
import { Chunk } from '@usher/contracts';
import { type } from 'arktype';
import { expect, test } from 'vitest';
import { messagesIn } from '../support/read-back.ts';
import { until } from '../support/until.ts';
import { acceptedOf, callAs, readStatus, submit } from './api.ts';
import { operator, outputs } from './deployment.ts';
import { peek, worked } from './queues.ts';

const { sqs } = operator;
const parseChunk = type('string.json.parse').to(Chunk);
const Redrive = type('string.json.parse').to({ deadLetterTargetArn: 'string' });
const accountId = 'patient';

test('a chunk that cannot be handed on comes again, is dead-lettered, and after a redrive has its first verdict', async () => {
  const { bookingId } = await withOutage(async () => {
    const accepted = acceptedOf(await submit(accountId, 'during-outage', { reservations: [{ id: 'a' }, { id: 'b' }] }));
    await until('the chunk is in the dead-letter queue', async () =>
      (await messagesIn(operator, outputs.BookingsDeadLettersUrl)) > 0 ? true : undefined,
    );
    return accepted;
  });
  const before = await readStatus(accountId, bookingId);
  expect(before).toMatchObject({ status: 'decided', counts: { granted: 2 } });
  expect(await dispatchedRows()).toEqual([]);

  await redrive();
  await worked(outputs.BookingsQueueUrl);

  expect(await dispatchedRows()).toEqual(['a', 'b']);
  expect(await readStatus(accountId, bookingId)).toEqual(before);
  expect(JSON.parse((await callAs(accountId, '/v1/quota')).body)).toMatchObject({ used: 2 });
});

/** Makes the dispatch queue refuse everybody meanwhile, and failed messages come again after a second, thrice. */
async function withOutage<T>(work: () => Promise<T>): Promise<T> {
  const Policy = await attributeOf(outputs.DispatchQueueUrl, 'Policy');
  const VisibilityTimeout = await attributeOf(outputs.BookingsQueueUrl, 'VisibilityTimeout');
  const RedrivePolicy = await attributeOf(outputs.BookingsQueueUrl, 'RedrivePolicy');
  const refusal = { Effect: 'Deny', Principal: '*', Action: 'sqs:SendMessage*', Resource: '*' };
  await setAttributes(outputs.DispatchQueueUrl, {
    Policy: JSON.stringify({ Version: '2012-10-17', Statement: [refusal] }),
  });
  await setAttributes(outputs.BookingsQueueUrl, {
    VisibilityTimeout: '1',
    RedrivePolicy: JSON.stringify({ ...Redrive.assert(RedrivePolicy), maxReceiveCount: 3 }),
  });
  try {
    return await work();
  } finally {
    await setAttributes(outputs.BookingsQueueUrl, { VisibilityTimeout, RedrivePolicy });
    await setAttributes(outputs.DispatchQueueUrl, { Policy });
  }
}

/** Sends dead messages back to their queue, as an operator does. */
async function redrive(): Promise<void> {
  const QueueUrl = outputs.BookingsDeadLettersUrl;
  const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl, MaxNumberOfMessages: 10 }));
  expect(Messages.map(({ Body }) => parseChunk.assert(Body).accountId)).toEqual([accountId]);
  for (const { Body, MessageId, ReceiptHandle } of Messages) {
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: outputs.BookingsQueueUrl,
        MessageBody: Body,
        MessageGroupId: accountId,
        MessageDeduplicationId: MessageId,
      }),
    );
    await sqs.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle }));
  }
}

/** The rows of this test's account that were handed on. */
async function dispatchedRows(): Promise<string[]> {
  const Own = type('string.json.parse').to({ accountId: 'string', reservations: type({ id: 'string' }).array() });
  const messages = (await peek(outputs.DispatchQueueUrl)).map(({ Body }) => Own.assert(Body));
  const own = messages.filter((message) => message.accountId === accountId);
  return own.flatMap(({ reservations }) => reservations.map(({ id }) => id));
}

async function attributeOf(QueueUrl: string, name: 'Policy' | 'RedrivePolicy' | 'VisibilityTimeout'): Promise<string> {
  const { Attributes } = await sqs.send(new GetQueueAttributesCommand({ QueueUrl, AttributeNames: [name] }));
  const value = Attributes?.[name];
  if (value === undefined) throw new Error(`${QueueUrl} has no ${name}`);
  return value;
}

async function setAttributes(QueueUrl: string, Attributes: Record<string, string>): Promise<void> {
  await sqs.send(new SetQueueAttributesCommand({ QueueUrl, Attributes }));
}
