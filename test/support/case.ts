import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { BookingAccepted, workerTimeoutSeconds } from '@usher/contracts';
import type { Outcome } from '@usher/limiter-core/bulk';
import { failedIdsOf, type LambdaSqsEvent, toSqsEvent } from '@usher/local-stack';
import { createWorker } from '@usher/worker';
import { expect } from 'vitest';
import type { Books } from './books.ts';
import type { ServiceProcess } from './process.ts';
import { workerPorts } from './process.ts';
import type { Faults } from './process-faults.ts';
import { drain } from './read-back.ts';
import type { World } from './world.ts';

/** Submits rows of the given costs as one booking, through an intake of its own that remembers nothing. */
export async function book(
  world: World,
  accountId: string,
  key: string,
  costs: readonly number[],
): Promise<BookingAccepted> {
  return acceptedBy(await world.intake().submit({ accountId, key, costs }));
}

/** The body of a 202; any other answer fails the test. */
export async function acceptedBy(answer: Response | 'crashed'): Promise<BookingAccepted> {
  if (answer === 'crashed') throw new Error('The intake crashed before it answered.');
  expect(answer.status, await answer.clone().text()).toBe(202);
  return BookingAccepted.assert(await answer.json());
}

/** Lets workers settle until the bookings queue hands nothing out any more. */
export async function settleAll(world: World): Promise<void> {
  const worker = world.worker();
  for (;;) {
    const delivery = await worker.settle();
    if (delivery === 'crashed' || delivery.received.length === 0) return;
    expect(delivery.handedBack).toEqual([]);
  }
}

/** The outcome of a booking's chunk, as the ledger holds it. */
export function outcomeOf({ ledger }: Books, { bookingId }: { bookingId: string }, chunk = 0): Outcome {
  const entry = ledger.get(`${bookingId}#${chunk}`);
  if (entry === undefined) throw new Error(`Chunk ${chunk} of ${bookingId} is not in the ledger.`);
  return entry.outcome;
}

/** For each row of a booking's chunk: why it is rejected, or null where it is granted. */
export function reasonsOf(books: Books, booking: { bookingId: string }, chunk = 0): Outcome['reasons'] {
  return outcomeOf(books, booking, chunk).reasons;
}

/** Puts a body of any kind on the bookings queue, past the intake. */
export async function sendRaw({ clients, queues }: World, groupId: string, body: string, id: string): Promise<void> {
  await clients.sqs.send(
    new SendMessageCommand({
      QueueUrl: queues.bookings.url,
      MessageBody: body,
      MessageGroupId: groupId,
      MessageDeduplicationId: id,
    }),
  );
}

/** Takes a batch from the bookings queue, as Lambda hands it to a function, and deletes nothing of it. */
export async function receiveBatch({ clients, queues }: World): Promise<LambdaSqsEvent> {
  const { Messages = [] } = await clients.sqs.send(
    new ReceiveMessageCommand({
      QueueUrl: queues.bookings.url,
      MaxNumberOfMessages: 10,
      MessageSystemAttributeNames: ['All'],
    }),
  );
  return toSqsEvent(Messages, queues.bookings.arn);
}

/** Settles a batch in a new worker process and returns the places, in the batch, of the messages handed back. */
export async function settleByHand(
  world: World,
  event: LambdaSqsEvent,
  {
    faults = {},
    remainingMs = () => workerTimeoutSeconds * 1000,
  }: { faults?: Faults; remainingMs?: (worker: ServiceProcess) => number } = {},
): Promise<number[]> {
  const worker = world.worker(faults);
  const { settle } = createWorker(workerPorts(worker.clients, world.queues, world.clock));
  const answer = await settle(event, { getRemainingTimeInMillis: () => remainingMs(worker) });
  const ids = event.Records.map(({ messageId }) => messageId);
  const failed = failedIdsOf(answer, ids);
  return ids.flatMap((id, place) => (failed.has(id) ? [place] : []));
}

/** Everything that lies in quarantine, as its messages tell it; it is taken out by that. */
export async function quarantined({ clients, queues }: World): Promise<unknown[]> {
  const messages: unknown[] = [];
  await drain(clients, queues.quarantine.url, (body) => messages.push(JSON.parse(body)));
  return messages;
}
