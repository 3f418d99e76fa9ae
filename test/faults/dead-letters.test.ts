import {
  DeleteMessageCommand,
  ReceiveMessageCommand,
  SendMessageCommand,
  SetQueueAttributesCommand,
} from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { expectBalance, expectNothingSetAside, finish } from '../support/books.ts';
import { at, type Faults } from '../support/process-faults.ts';
import { messagesIn, readTable } from '../support/read-back.ts';
import { type Bulk, startWorld, visibilityMs, type World } from '../support/world.ts';
import { limits, ones, submitAll } from './scenario.ts';

const dayMs = 86_400_000;
/** The receives of a message until it is dead: fewer than the product's, so that a few crashes are enough. */
const maxReceives = 4;
const first: Bulk = { accountId: 'ada', key: 'first', costs: [200, 40, 20, 10, 5] };

/**
 * Every worker that gets the messages dies: the first by the fault given, the others at once, until SQS gives them up.
 */
async function killUntilDead(world: World, faults: Faults): Promise<void> {
  expect(await world.worker(faults).settle()).toBe('crashed');
  for (let receive = 2; receive <= maxReceives; receive++) {
    world.clock.advance(visibilityMs);
    expect(await world.worker(at('BatchGetItem', 1, 'crash before')).settle()).toBe('crashed');
  }
  world.clock.advance(visibilityMs);
  expect(await world.worker().settle()).toMatchObject({ received: [] });
  expect(await messagesIn(world.clients, world.queues.bookingsDead.url)).toBe(1);
}

/** Takes the one dead message out, as an operator does, and returns how to send it to the bookings queue again. */
async function takeDead({ clients: { sqs }, queues }: World): Promise<() => Promise<void>> {
  const { Messages: [message] = [] } = await sqs.send(
    new ReceiveMessageCommand({ QueueUrl: queues.bookingsDead.url, MessageSystemAttributeNames: ['All'] }),
  );
  if (message === undefined) throw new Error('There is no dead message.');
  const { Body, ReceiptHandle, Attributes = {} } = message;
  await sqs.send(new DeleteMessageCommand({ QueueUrl: queues.bookingsDead.url, ReceiptHandle }));
  return async () => {
    await sqs.send(
      new SendMessageCommand({
        QueueUrl: queues.bookings.url,
        MessageBody: Body,
        MessageGroupId: Attributes.MessageGroupId,
        MessageDeduplicationId: Attributes.MessageDeduplicationId,
      }),
    );
  };
}

/** A world in which ada's first booking lies in the dead-letter queue. */
async function startWithDead(faults: Faults) {
  const world = await startWorld({ ada: { dailyLimit: limits.ada } });
  const redrive = { deadLetterTargetArn: world.queues.bookingsDead.arn, maxReceiveCount: maxReceives };
  await world.clients.sqs.send(
    new SetQueueAttributesCommand({
      QueueUrl: world.queues.bookings.url,
      Attributes: { RedrivePolicy: JSON.stringify(redrive) },
    }),
  );
  const [dead] = await submitAll(world, [first]);
  if (dead === undefined) throw new Error('The booking was not accepted.');
  const settledAt = world.clock();
  await killUntilDead(world, faults);
  return { world, dead, settledAt, redrive: await takeDead(world) };
}

describe('a message in the dead-letter queue', () => {
  it.each([
    { what: 'a receipt', step: 'BatchWriteItem', days: 6 },
    { what: 'a ledger item', step: 'PutEvents', days: 6 },
    { what: 'a receipt, past the 28 days in which it could be decided', step: 'BatchWriteItem', days: 30 },
    { what: 'a ledger item, past the 28 days in which it could be decided', step: 'PutEvents', days: 30 },
  ])('that left $what is redriven $days days later to its first verdict, under its ids', async ({ step, days }) => {
    const { world, dead, settledAt, redrive } = await startWithDead(at(step, 1, 'crash before'));
    await world.setPolicies({ ada: { dailyLimit: 7 } });
    world.clock.advance(days * dayMs);
    await redrive();
    const books = await finish(world);
    expectBalance(books, [dead], limits);
    expect(books.ledger.get(`${dead.bookingId}#0`)?.outcome).toMatchObject({
      settledAtMs: settledAt,
      limit: limits.ada,
      reasons: [null, null, 'daily_quota_exceeded', null, 'daily_quota_exceeded'],
    });
    expect([...books.events.values()].every(({ detail }) => Date.parse(detail.metadata.occurredAt) === settledAt)).toBe(
      true,
    );
    await expectNothingSetAside(world);
  });

  it('is given its first verdict although its account went on and removed its receipt meanwhile', async () => {
    const { world, dead, redrive } = await startWithDead(at('PutEvents', 1, 'crash before'));
    const others = Array.from({ length: 12 }, (_, n): Bulk => ({ accountId: 'ada', key: `next-${n}`, costs: [1, 2] }));
    const accepted = [];
    for (const other of others) {
      // A worker each, so that none knows what is in the ledger and all have to ask for it.
      accepted.push(...(await submitAll(world, [other])));
      await world.worker().settle();
    }
    const { receipts } = (await readTable(world.clients)).accounts.get('ada') ?? {};
    expect([...(receipts?.values() ?? [])].some((receipt) => receipt.has(`${dead.bookingId}#0`))).toBe(false);
    world.clock.advance(2 * dayMs);
    await redrive();
    const books = await finish(world);
    expectBalance(books, [dead, ...accepted], limits);
    await expectNothingSetAside(world);
  });

  it('that nobody decided is decided when it is redriven, in the window of its acceptance', async () => {
    const { world, dead, redrive } = await startWithDead(at('UpdateItem', 1, 'crash before'));
    world.clock.advance(27 * dayMs);
    await redrive();
    const books = await finish(world);
    expectBalance(books, [dead], limits);
    expect(books.ledger.get(`${dead.bookingId}#0`)?.outcome.date).toBe('2026-11-29');
    await expectNothingSetAside(world);
  });

  it('that nobody decided in 28 days goes to quarantine, counts nothing, and holds nothing up', async () => {
    const { world, dead, redrive } = await startWithDead(at('UpdateItem', 1, 'crash before'));
    world.clock.advance(29 * dayMs);
    await redrive();
    const next = await submitAll(world, [{ accountId: 'ada', key: 'next', costs: ones(5) }]);
    expect(await world.worker().settle()).toMatchObject({ received: { length: 2 }, handedBack: [] });
    expect(await messagesIn(world.clients, world.queues.quarantine.url)).toBe(1);

    const books = await finish(world);
    expect([...books.ledger.keys()]).toEqual([`${next[0]?.bookingId}#0`]);
    expect(books.counters.get('ada')).toEqual({ used: 5, rejected: 0 });
    const quarantined = [...books.events.values()].filter(({ detailType }) => detailType === 'Message Quarantined');
    expect(quarantined).toMatchObject([{ detail: { data: { reason: 'too_old', accountId: 'ada' } } }]);
    expect([...books.dispatches.values()].some(({ bookingId }) => bookingId === dead.bookingId)).toBe(false);
  });
});
