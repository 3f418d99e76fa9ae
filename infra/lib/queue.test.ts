import { workQueue } from '@usher/contracts';
import { expect, test } from 'vitest';
import { prod, propertiesOf, resourcesOf } from './testing/template.ts';

const queueType = 'AWS::SQS::Queue';
const queues = (): Map<string, Record<string, unknown>> =>
  new Map([...resourcesOf(prod(), queueType).keys()].map((name) => [name, propertiesOf(prod(), queueType, name)]));

test('the flow has its queues, each that is worked off with a dead-letter queue of its own', () => {
  const deadLettersOf = [...queues()].map(([name, { RedrivePolicy }]) => [name, RedrivePolicy]);
  const redrive = (name: string): unknown => ({
    deadLetterTargetArn: name,
    maxReceiveCount: workQueue.maxReceiveCount,
  });
  expect(Object.fromEntries(deadLettersOf)).toEqual({
    BookingsQueueBookings: redrive('BookingsQueueBookingsDeadLetters'),
    BookingsQueueBookingsDeadLetters: undefined,
    BookingsQueueQuarantine: undefined,
    DispatchQueueDispatch: redrive('DispatchQueueDispatchDeadLetters'),
    DispatchQueueDispatchDeadLetters: undefined,
    DispatchQueuePacing: redrive('DispatchQueuePacingDeadLetters'),
    DispatchQueuePacingDeadLetters: undefined,
    Events: redrive('EventsEventsDeadLetters'),
    EventsEventsDeadLetters: undefined,
    ReportsFacts: redrive('ReportsFactsDeadLetters'),
    ReportsFactsDeadLetters: undefined,
  });
});

test('the bookings queue and its dead-letter queue are FIFO with high throughput per group', () => {
  for (const name of ['BookingsQueueBookings', 'BookingsQueueBookingsDeadLetters']) {
    expect(queues().get(name), name).toMatchObject({
      FifoQueue: true,
      DeduplicationScope: 'messageGroup',
      FifoThroughputLimit: 'perMessageGroupId',
    });
  }
});

test('chunks are deduplicated by the id that intake gives them, never by their content', () => {
  expect(queues().get('BookingsQueueBookings')).not.toHaveProperty('ContentBasedDeduplication', true);
});

test('queues that delay message by message are standard ones', () => {
  for (const name of ['DispatchQueueDispatch', 'DispatchQueuePacing']) {
    expect(queues().get(name), name).not.toHaveProperty('FifoQueue');
    expect(queues().get(name), name).not.toHaveProperty('DelaySeconds');
  }
});

test('every queue is encrypted, takes messages of 1 MiB and is kept when the stack goes', () => {
  for (const [name, properties] of queues()) {
    expect(properties, name).toMatchObject({ SqsManagedSseEnabled: true, MaximumMessageSize: 1_048_576 });
    expect(resourcesOf(prod(), queueType).get(name), name).toMatchObject({ DeletionPolicy: 'Retain' });
  }
});
