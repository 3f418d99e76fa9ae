import { describe, expect, it } from 'vitest';
import { expectBalance, expectNothingSetAside, finish } from '../support/books.ts';
import { type Child, startChild } from '../support/child.ts';
import { messagesIn } from '../support/read-back.ts';
import { untilTrue } from '../support/until.ts';
import { visibilityMs, type World } from '../support/world.ts';
import { limits, startScenario, undisturbed } from './scenario.ts';
import type { WorkerOrder } from './worker-order.ts';

type Dies = NonNullable<WorkerOrder['dies']>;

function startWorkerProcess({ endpoints, queues, clock }: World, dies?: Dies): Child {
  const { dynamoDbUrl, sqsUrl, eventBridgeUrl } = endpoints;
  const order: WorkerOrder = {
    urls: { dynamoDbUrl, sqsUrl, eventBridgeUrl },
    queues,
    nowMs: clock(),
    ...(dies && { dies }),
  };
  return startChild(new URL('./worker-process.ts', import.meta.url), order);
}

describe('a worker process killed by SIGKILL', () => {
  it.each<Dies>([
    { when: 'after', command: 'UpdateItem', nth: 1 },
    { when: 'before', command: 'BatchWriteItem', nth: 1 },
    { when: 'before', command: 'PutEvents', nth: 1 },
    { when: 'after', command: 'PutEvents', nth: 1 },
    { when: 'after', command: 'SendMessageBatch', nth: 2 },
  ])('$when its $command number $nth leaves the next one to finish what it had decided', async (dies) => {
    const { world, bookings } = await startScenario();
    expect(await startWorkerProcess(world, dies).ended).toBe('SIGKILL');
    world.clock.advance(visibilityMs);
    const books = await finish(world);
    expectBalance(books, bookings, limits);
    if (dies.command !== 'UpdateItem') expect({ ...books, times: 0 }).toEqual({ ...(await undisturbed()), times: 0 });
    await expectNothingSetAside(world);
  });

  it('before its delete leaves everything to be repeated by the next process, and nothing to be counted', async () => {
    const { world, bookings } = await startScenario();
    expect(await startWorkerProcess(world, { when: 'before', command: 'DeleteMessageBatch', nth: 1 }).ended).toBe(
      'SIGKILL',
    );
    world.clock.advance(visibilityMs);
    const next = startWorkerProcess(world);
    const isEmpty = async () => (await messagesIn(world.clients, world.queues.bookings.url)) === 0;
    await untilTrue('the bookings queue is empty', isEmpty);
    await next.kill();
    const books = await finish(world);
    expectBalance(books, bookings, limits);
    expect({ ...books, times: 0 }).toEqual({ ...(await undisturbed()), times: 0 });
    expect([...books.times.values()].every((times) => times === 2)).toBe(true);
    await expectNothingSetAside(world);
  });
});
