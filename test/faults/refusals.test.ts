import type { InterceptedCall } from '@usher/local-stack';
import { describe, expect, it } from 'vitest';
import { expectBalance, expectNothingSetAside, finish } from '../support/books.ts';
import { limits, startScenario } from './scenario.ts';

/** AWS's answers when it throttles. */
const throttled = {
  dynamodb: { status: 400, type: 'ProvisionedThroughputExceededException', message: 'Rate exceeded.' },
  eventbridge: { status: 400, type: 'ThrottlingException', message: 'Rate exceeded.' },
  sqs: { status: 400, type: 'ThrottlingException', message: 'Rate exceeded.' },
} as const;

/** Throttles an operation from its nth call on, so many times. */
function throttle(operation: string, { from = 1, times }: { from?: number; times: number }) {
  let calls = 0;
  return (call: InterceptedCall) => {
    if (call.operation !== operation) return 'pass';
    calls += 1;
    return calls >= from && calls < from + times ? throttled[call.service] : 'pass';
  };
}

describe('a throttled call', () => {
  it.each(['BatchGetItem', 'UpdateItem', 'BatchWriteItem', 'PutEvents', 'SendMessageBatch'])(
    'to %s that the SDK tries again within its attempts is seen by nobody',
    async (operation) => {
      const { world, bookings } = await startScenario();
      world.intercept(throttle(operation, { times: 1 }));
      expect(await world.worker().settle()).toMatchObject({ handedBack: [] });
      const books = await finish(world);
      expectBalance(books, bookings, limits);
      expect(Math.max(...books.times.values())).toBe(1);
      await expectNothingSetAside(world);
    },
  );

  it.each([
    { what: 'accounts', from: 1 },
    { what: 'ledger', from: 2 },
  ])('that leaves the $what unread decides nothing: every message comes back', async ({ from }) => {
    const { world, bookings } = await startScenario();
    world.intercept(throttle('BatchGetItem', { from, times: 3 }));
    const worker = world.worker();
    expect(await worker.settle()).toMatchObject({ received: { length: 7 }, handedBack: { length: 7 } });
    expect(worker.requests).not.toContain('UpdateItem');
    expect(worker.requests).not.toContain('PutEvents');
    const books = await finish(world);
    expectBalance(books, bookings, limits);
    await expectNothingSetAside(world);
  });
});

describe('a write that is throttled at every attempt', () => {
  it('has its account decided at the next delivery, and the others now', async () => {
    const { world, bookings } = await startScenario();
    const throttleWrites = throttle('UpdateItem', { times: 3 });
    world.intercept((call) => (JSON.stringify(call.input).includes('account#ada"') ? throttleWrites(call) : 'pass'));
    expect(await world.worker().settle()).toMatchObject({ received: { length: 7 }, handedBack: { length: 6 } });
    const books = await finish(world);
    expectBalance(books, bookings, limits);
    const decidedAt = new Set([...books.ledger.values()].map(({ outcome }) => outcome.settledAtMs));
    expect(decidedAt.size).toBe(2);
    await expectNothingSetAside(world);
  });
});

describe('keys that DynamoDB leaves unprocessed', () => {
  it('for a while are read again within the same attempt', async () => {
    const { world, bookings } = await startScenario();
    const worker = world.worker({
      takes: ({ command, nth, index }) => command !== 'BatchGetItem' || nth > 2 || index === 0,
    });
    expect(await worker.settle()).toMatchObject({ handedBack: [] });
    expect(worker.requests.filter((command) => command === 'BatchGetItem').length).toBeGreaterThan(2);
    expectBalance(await finish(world), bookings, limits);
    await expectNothingSetAside(world);
  });

  it.each([
    { what: 'an account', unread: '"account#ada"', sort: '"quota"' },
    { what: "an account's policy", unread: '"policy#ada"', sort: '"current"' },
    { what: 'a ledger item', unread: '"ledger#', sort: '"c#00002"' },
  ])('for good, of $what, fail its account alone: unread is never absent', async ({ unread, sort }) => {
    const { world, bookings } = await startScenario();
    const worker = world.worker({
      takes: ({ command, text }) => command !== 'BatchGetItem' || !(text.includes(unread) && text.includes(sort)),
    });
    expect(await worker.settle()).toMatchObject({ received: { length: 7 }, handedBack: { length: 6 } });
    expect(worker.requests.filter((command) => command === 'UpdateItem')).toHaveLength(1);
    const books = await finish(world);
    expectBalance(books, bookings, limits);
    await expectNothingSetAside(world);
  });
});

describe('ledger items that DynamoDB leaves unprocessed', () => {
  it('for a while are put again', async () => {
    const { world, bookings } = await startScenario();
    const worker = world.worker({
      takes: ({ command, nth, index }) => command !== 'BatchWriteItem' || nth > 2 || index === 0,
    });
    expect(await worker.settle()).toMatchObject({ handedBack: [] });
    const books = await finish(world);
    expectBalance(books, bookings, limits);
    expect(Math.max(...books.times.values())).toBe(1);
  });

  it('for good have that message and its account’s later ones come back, to the verdicts of their receipts', async () => {
    const { world, bookings } = await startScenario();
    const settledAt = world.clock();
    const worker = world.worker({
      takes: ({ command, text }) => command !== 'BatchWriteItem' || !text.includes('"c#00002"'),
    });
    expect(await worker.settle()).toMatchObject({ received: { length: 7 }, handedBack: { length: 4 } });
    const books = await finish(world);
    expectBalance(books, bookings, limits);
    expect([...books.ledger.values()].every(({ outcome }) => outcome.settledAtMs === settledAt)).toBe(true);
    await expectNothingSetAside(world);
  });
});

describe('a part of a batch', () => {
  it('of PutEvents that failed is sent again alone, with the same ids', async () => {
    const { world, bookings } = await startScenario();
    const worker = world.worker({
      takes: ({ command, nth, index }) => command !== 'PutEvents' || nth > 1 || index < 7,
    });
    expect(await worker.settle()).toMatchObject({ handedBack: [] });
    const books = await finish(world);
    expectBalance(books, bookings, limits);
    expect(Math.max(...books.times.values())).toBe(1);
    await expectNothingSetAside(world);
  });

  it('of the dispatches that failed is sent again alone, with the same ids', async () => {
    const { world, bookings } = await startScenario();
    const worker = world.worker({
      takes: ({ command, nth, index }) => command !== 'SendMessageBatch' || nth > 1 || index % 2 === 0,
    });
    expect(await worker.settle()).toMatchObject({ handedBack: [] });
    const books = await finish(world);
    expectBalance(books, bookings, limits);
    expect(Math.max(...books.times.values())).toBe(1);
    await expectNothingSetAside(world);
  });

  it.each([
    { what: 'event', command: 'PutEvents', text: '#1#usage' },
    { what: 'dispatch', command: 'SendMessageBatch', text: '#1#14' },
  ])(
    'that fails for good, one $what, has its message come back, and then all of it with the same ids',
    async (part) => {
      const { world, bookings } = await startScenario();
      const worker = world.worker({
        takes: ({ command, text }) => command !== part.command || !text.includes(part.text),
      });
      expect(await worker.settle()).toMatchObject({ received: { length: 7 }, handedBack: { length: 5 } });
      const books = await finish(world);
      expectBalance(books, bookings, limits);
      expect(Math.max(...books.times.values())).toBe(2);
      await expectNothingSetAside(world);
    },
  );
});
