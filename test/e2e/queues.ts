import { request } from 'node:https';
import { text } from 'node:stream/consumers';
import { type } from 'arktype';
import { messagesIn } from '../support/read-back.ts';
import { until } from '../support/until.ts';
import { endpoint, operator } from './deployment.ts';

/** Waits until all that a queue held is worked off. */
export async function worked(queueUrl: string): Promise<void> {
  await until(`${queueUrl} is empty`, async () => ((await messagesIn(operator, queueUrl)) === 0 ? true : undefined));
}

const Peeked = type({
  MessageId: 'string',
  Body: 'string',
  /** Whole seconds since the Unix epoch, rounded down. */
  SentTimestamp: 'number.integer',
  /** Whole seconds since the Unix epoch, rounded down. */
  VisibleAt: 'number.integer',
  MessageGroupId: 'string | null',
});
/** The emulator's queues, by account, region and name. */
const Answer = type('string.json.parse').to({
  messages: type({ '[string]': type({ '[string]': type({ '[string]': Peeked.array() }) }) }),
});

/** All messages of a queue, delayed ones as well: the emulator shows what SQS would not. */
export async function peek(queueUrl: string): Promise<(typeof Peeked.infer)[]> {
  const url = new URL('/_ministack/sqs/messages', endpoint);
  url.searchParams.set('QueueUrl', queueUrl);
  const body = await new Promise<string>((resolve, reject) => {
    request(url, (message) => text(message).then(resolve, reject))
      .on('error', reject)
      .end();
  });
  const { messages } = Answer.assert(body);
  return Object.values(messages).flatMap((regions) => Object.values(regions).flatMap((q) => Object.values(q).flat()));
}
