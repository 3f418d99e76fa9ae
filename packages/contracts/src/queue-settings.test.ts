import { expect, test } from 'vitest';
import {
  keptQueue,
  maxDelaySeconds,
  pacingReserveSeconds,
  receiveBounds,
  workerBatchSize,
  workerTimeoutSeconds,
  workQueue,
} from './queue-settings.ts';

const hourSeconds = 3600;
const daySeconds = 86_400;
/** The time that so many receives take when each waits for the one before to time out. */
const receivesSeconds = (count: number): number => count * workQueue.visibilityTimeoutSeconds;

test('a day without something that the worker needs sends nothing to the dead letters, with hours to spare', () => {
  expect(receivesSeconds(workQueue.maxReceiveCount)).toBeGreaterThanOrEqual(daySeconds + 6 * hourSeconds);
});

test('a message is given up on before its retention ends: it lands in the dead letters and does not vanish', () => {
  expect(receivesSeconds(workQueue.maxReceiveCount) + 7 * daySeconds).toBeLessThan(workQueue.retentionSeconds);
});

test('a dead letter that kept the time of its first sending leaves an operator four days', () => {
  expect(keptQueue.retentionSeconds - workQueue.retentionSeconds).toBeGreaterThanOrEqual(4 * daySeconds);
});

test('a message that fails by itself blocks its account for half an hour, not for a day', () => {
  expect(receivesSeconds(receiveBounds.deterministicError)).toBeLessThanOrEqual(hourSeconds);
  expect(receiveBounds.deterministicError).toBeGreaterThan(receiveBounds.settledWithOthers);
});

test('all is within what SQS and Lambda take', () => {
  expect(workQueue.maxReceiveCount).toBeLessThanOrEqual(1000);
  expect(keptQueue.retentionSeconds).toBeLessThanOrEqual(14 * daySeconds);
  expect(workQueue.visibilityTimeoutSeconds).toBeLessThanOrEqual(12 * hourSeconds);
  expect(workQueue.visibilityTimeoutSeconds).toBeGreaterThanOrEqual(6 * workerTimeoutSeconds);
  expect(maxDelaySeconds).toBeLessThanOrEqual(900);
  expect(pacingReserveSeconds).toBeLessThan(maxDelaySeconds);
  expect(workerBatchSize).toBeLessThanOrEqual(10);
});
