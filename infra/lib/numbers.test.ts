import { chunkMaxRows, eventBusName, keptQueue, workQueue } from '@usher/contracts';
import { leaseMs } from '@usher/intake';
import { retention } from '@usher/limiter-core/bulk';
import { factsKeptMs, leaseMs as runLeaseMs } from '@usher/report';
import { maxBatchBytes, maxBatchEntries } from '@usher/sqs-batch';
import { clientDefaults, readConfig } from '@usher/worker';
import { describe, expect, test } from 'vitest';
import { authorizedPaths } from './http-api.ts';
import {
  alarmAt,
  archiveDays,
  closer,
  intake,
  messageMaxBytes,
  pacer,
  reporter,
  settleBudget,
  throttle,
  worker,
} from './numbers.ts';

const workerConfig = readConfig({
  USHER_TABLE: 'table',
  USHER_BUS: eventBusName,
  USHER_DISPATCH_QUEUE_URL: 'https://sqs/dispatch',
  USHER_PACING_QUEUE_URL: 'https://sqs/pacing',
  USHER_QUARANTINE_QUEUE_URL: 'https://sqs/quarantine',
});

describe('timeouts', () => {
  test.each([worker, pacer, reporter])(
    'a message stays hidden at least six times as long as a function may take',
    (of) => {
      expect(workQueue.visibilityTimeoutSeconds).toBeGreaterThanOrEqual(6 * of.timeoutSeconds);
    },
  );

  test('a batch of the slowest chunks is settled before the worker hands back what is left', () => {
    const perChunkMs = sum(Object.values(settleBudget.callsPerChunk)) * settleBudget.callMs;
    const usableMs = worker.timeoutSeconds * 1000 - workerConfig.deadlineMarginMs;
    expect(worker.batchSize * perChunkMs).toBeLessThan(usableMs);
  });

  test('a chunk of rows each due in another second needs the calls that the budget counts', () => {
    expect(settleBudget.callsPerChunk.dispatch).toBe(Math.ceil(chunkMaxRows / maxBatchEntries));
  });

  test('a call begun at the last moment can time out once before the function does', () => {
    const { connectionTimeout, requestTimeout } = clientDefaults.requestHandler;
    expect(workerConfig.deadlineMarginMs).toBeGreaterThan(connectionTimeout + requestTimeout);
  });

  test('intake is dead before the lease of its header is over', () => {
    expect(intake.timeoutSeconds * 1000).toBeLessThan(leaseMs);
  });

  test('a closer is dead before the lease of its run is over, and one that failed is followed by the next', () => {
    expect(closer.timeoutSeconds * 1000).toBeLessThan(runLeaseMs);
    expect(runLeaseMs).toBeLessThan(closer.everyMinutes * 60_000);
  });

  test('intake answers before API Gateway gives up on it', () => {
    const apiGatewaySeconds = 30;
    expect(intake.timeoutSeconds).toBeLessThan(apiGatewaySeconds);
  });

  test('a message may be as large as a call', () => {
    expect(messageMaxBytes).toBe(maxBatchBytes);
  });
});

describe('concurrency', () => {
  /** AWS keeps this much of an account's concurrency out of every reservation. */
  const unreservable = 100;
  const ofReports = reporter.maxConcurrency + closer.maxConcurrency;
  const ofStage = intake.reservedConcurrency + worker.maxConcurrency + pacer.maxConcurrency + ofReports;

  test("two stages fit into a Region's default", () => {
    expect(2 * ofStage + unreservable).toBeLessThanOrEqual(1000);
  });

  test('all requests that the throttles let through at once find room in intake, without an alarm', () => {
    const [submissionSeconds, readSeconds] = [1, 0.1];
    const reading = authorizedPaths.length * throttle.reads.rateLimit * readSeconds;
    const submitting = throttle.submissions.burstLimit * submissionSeconds;
    expect(reading + submitting).toBeLessThanOrEqual(alarmAt.concurrencyShare * intake.reservedConcurrency);
  });

  test('a storm of refused requests alarms below what the throttles let through', () => {
    const periodSeconds = 300;
    expect(alarmAt.clientErrors).toBeLessThan(throttle.open.rateLimit * periodSeconds);
    expect(alarmAt.throttledRequests).toBeLessThan(alarmAt.clientErrors);
  });

  test('reading alarms long before one partition is throttled', () => {
    const partitionUnits = 3000 * 300;
    expect(alarmAt.readUnits).toBeLessThan(partitionUnits / 2);
  });
});

describe('receives', () => {
  test('the oldest chunk alarms after a failed batch had its second chance, and long before it is dead', () => {
    expect(alarmAt.oldestChunkSeconds).toBeGreaterThan(workQueue.visibilityTimeoutSeconds);
    expect(alarmAt.oldestChunkSeconds).toBeLessThan(
      (workQueue.maxReceiveCount * workQueue.visibilityTimeoutSeconds) / 2,
    );
  });

  test('an alarm about waiting leaves half of what SQS searches for free groups', () => {
    const fifoSearchDepth = 120_000;
    expect(alarmAt.waitingChunks).toBeLessThanOrEqual(fifoSearchDepth / 2);
  });
});

describe('retention', () => {
  test('dead letters are kept longer than the queue that they come from', () => {
    expect(keptQueue.retentionSeconds).toBeGreaterThan(workQueue.retentionSeconds);
    expect(keptQueue.retentionSeconds).toBeLessThanOrEqual(14 * 86_400);
  });

  test('outcomes outlive every message that may still ask for them', () => {
    const longestMs = 1000 * (workQueue.retentionSeconds + keptQueue.retentionSeconds);
    expect(retention.unsettledMs).toBeGreaterThanOrEqual(longestMs);
    expect(retention.outcomeMs).toBeGreaterThan(longestMs);
    expect(retention.outcomeMs).toBeGreaterThan(retention.unsettledMs);
    expect(retention.headerMs).toBeGreaterThan(retention.outcomeMs);
  });

  test('facts of reports outlive every event that the archive can replay', () => {
    expect(factsKeptMs).toBeGreaterThan(archiveDays * 86_400_000);
  });

  test('the ledger answers for every event that the archive can replay', () => {
    expect(retention.outcomeMs).toBeGreaterThan(archiveDays * 86_400_000);
  });
});

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
