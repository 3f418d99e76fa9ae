import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { receiveBounds } from '@usher/contracts';
import { keys } from '@usher/limiter-core/bulk/dynamodb';
import { tableName } from '@usher/local-stack';
import { recordingMeter } from '@usher/service/testing';
import { createWorker, workerMetrics } from '@usher/worker';
import { expect, test } from 'vitest';
import { expectBalance, finish } from '../support/books.ts';
import { book, quarantined, receiveBatch } from '../support/case.ts';
import { workerPorts } from '../support/process.ts';
import { messagesIn } from '../support/read-back.ts';
import { startWorld, visibilityMs, type World } from '../support/world.ts';

/** Policy items as people write them by hand, with another meaning than they think or none. */
const unreadable: Record<string, object> = {
  'a field that no policy has': { policy: { dailyLimits: 0 } },
  'a limit beside the policy': { dailyLimit: 0 },
  'a policy of null': { policy: null },
  'a value that none may have': { policy: { dailyLimit: -1 } },
};

/** Settles what the queue hands out and tells what was logged and counted. */
async function settleWatched(world: World) {
  const logged: [string, Record<string, unknown>][] = [];
  const counted = new Map<string, number>();
  const log = (message: string, fields: Record<string, unknown>) => logged.push([message, fields]);
  const event = await receiveBatch(world);
  const { settle } = createWorker({
    ...workerPorts(world.worker().clients, world.queues, world.clock),
    log: { info: log, warn: log, error: log },
    meter: recordingMeter(counted),
  });
  const { batchItemFailures } = await settle(event, { getRemainingTimeInMillis: () => 30_000 });
  return { received: event.Records.length, failures: batchItemFailures.length, logged, counted };
}

test.each(Object.keys(unreadable))(
  'case 50: with %s an account is not decided by the default: its chunks wait, a log line and a metric tell of it',
  async (kind) => {
    const world = await startWorld();
    const own = { accountId: 'ada', key: 'waits', costs: [2, 3] };
    const other = { accountId: 'bob', key: 'other', costs: [4] };
    const waits = await book(world, own.accountId, own.key, own.costs);
    const decided = await book(world, other.accountId, other.key, other.costs);

    await world.clients.dynamoDb.send(
      new PutCommand({ TableName: tableName, Item: { ...keys.policy('ada'), ...unreadable[kind] } }),
    );

    const first = await settleWatched(world);
    expect(first).toMatchObject({ received: 2, failures: 1 });
    expect(first.logged).toContainEqual([
      "An account's policy cannot be read",
      { accountId: 'ada', error: expect.objectContaining({ name: 'InvalidPolicyError' }) },
    ]);
    expect(first.counted.get(workerMetrics.unreadablePolicies)).toBe(1);

    // Longer than what fails by itself is given: an operator has a day to mend it.
    for (let receive = 2; receive <= receiveBounds.deterministicError + 1; receive++) {
      world.clock.advance(visibilityMs);
      expect(await world.worker().settle()).toMatchObject({ handedBack: { length: 1 } });
    }
    expect(await quarantined(world)).toEqual([]);
    expect(await messagesIn(world.clients, world.queues.bookingsDead.url)).toBe(0);

    await world.setPolicies({ ada: { dailyLimit: 2 } });
    world.clock.advance(visibilityMs);
    const books = await finish(world);
    const accepted = [
      { ...own, bookingId: waits.bookingId },
      { ...other, bookingId: decided.bookingId },
    ];
    expectBalance(books, accepted, { ada: 2 });
  },
);
