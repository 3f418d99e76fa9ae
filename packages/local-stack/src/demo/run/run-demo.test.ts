import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readPolicyFile } from '@usher/limiter-core/bulk';
import { type } from 'arktype';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Fault, Intercept, InterceptedCall } from '../../endpoints/intercept.ts';
import { summarise } from '../audit/summary.ts';
import type { BulkBooking } from '../input/booking-file.ts';
import { runDemo } from './run-demo.ts';

/** Messages that the consumer of the report's events has worked off. */
const ReportMessages = type({ QueueUrl: /\/usher-report$/, Entries: 'unknown[]' });
const ReportItems = type({ RequestItems: { 'usher-reports': 'unknown[]' } });

const policies = readPolicyFile({ default: { dailyLimit: 300, refillPerSecond: 0.1, burst: 1 } });

const bookings: readonly BulkBooking[] = ['a', 'b'].flatMap((accountId) =>
  ['k1', 'k2'].map((idempotencyKey) => ({
    accountId,
    idempotencyKey,
    reservations: Array.from({ length: 110 }, (_, i) => ({ id: `r${i}`, cost: 2 })),
  })),
);

describe('a run of the demo', () => {
  let folder: string;
  let reportsDir: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'usher-run-'));
    reportsDir = await mkdtemp(join(tmpdir(), 'usher-run-reports-'));
    vi.stubEnv('TMPDIR', folder);
  });
  afterEach(async () => {
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
    await rm(reportsDir, { recursive: true });
  });

  interface Seams {
    readonly onStage?: (name: string) => void;
    readonly onWait?: (what: string) => void;
    readonly intercept?: Intercept;
  }

  async function run(signal: AbortSignal, { onStage, onWait, intercept }: Seams = {}) {
    const stages: { name: string; total: number; done: number }[] = [];
    let ends = 0;
    const logged: string[] = [];
    const progress = {
      stage: (name: string, total: number) => {
        stages.push({ name, total, done: 0 });
        onStage?.(name);
      },
      add: (rows: number) => {
        const stage = stages.at(-1);
        if (stage) stage.done += rows;
      },
      wait: (what: string) => onWait?.(what),
      end: () => {
        ends += 1;
      },
    };
    const evidence = await runDemo({
      bookings,
      policies,
      reportsDir,
      progress,
      onLog: (line) => void logged.push(line),
      signal,
      intercept,
    });
    return { evidence, stages, ends, logged };
  }

  test('goes through time far past what a queue can delay, balances, keeps its pace and leaves nothing behind', async () => {
    const { evidence, stages, ends, logged } = await run(new AbortController().signal);
    expect(summarise(evidence, policies)).toMatchObject({
      accounts: [
        { accountId: 'a', used: 300, granted: 150, rejected: 70, pacedSeconds: 2980 },
        { accountId: 'b', used: 300, granted: 150, rejected: 70, pacedSeconds: 2980 },
      ],
      dispatch: { rows: 300, differences: [] },
      differences: [],
    });
    expect(stages).toEqual([
      { name: 'submitting', total: 440, done: 440 },
      { name: 'deciding', total: 440, done: 440 },
      { name: 'handing on', total: 300, done: 300 },
    ]);
    expect(ends).toBe(1);
    expect(logged).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
  });

  test('moves its clock only when the report has taken every event, however slow it is', async () => {
    const isWaitedFor = Promise.withResolvers<void>();
    let taken = 0;
    let takenBefore = 0;
    const intercept = async ({ service, operation, input }: InterceptedCall): Promise<Fault> => {
      if (operation === 'DeleteMessageBatch') taken += ReportMessages.allows(input) ? input.Entries.length : 0;
      // Nothing goes into the report's table until somebody waits for it.
      if (service === 'dynamodb' && operation === 'BatchWriteItem' && ReportItems.allows(input)) {
        await isWaitedFor.promise;
      }
      return 'pass';
    };
    const { evidence } = await run(new AbortController().signal, {
      intercept,
      onWait: (what) => what === "the report's events" && isWaitedFor.resolve(),
      onStage: (name) => {
        if (name !== 'handing on') return;
        takenBefore = taken;
        isWaitedFor.resolve();
      },
    });
    const reported = evidence.events.filter(({ detailType }) => detailType === 'Quota Usage Recorded');
    expect(reported).toHaveLength(8);
    expect(takenBefore).toBe(8);
  });

  test.each(['submitting', 'deciding', 'handing on'])('ends at once when it is interrupted while %s', async (stage) => {
    const stopping = new AbortController();
    const interrupted = run(stopping.signal, {
      onStage: (name) => name === stage && stopping.abort(new Error('interrupted')),
    });
    await expect(interrupted).rejects.toThrow(new Error('interrupted'));
    expect(await readdir(folder)).toEqual([]);
  });

  test('ends at once when it was interrupted before it began', async () => {
    await expect(run(AbortSignal.abort(new Error('interrupted')))).rejects.toThrow(new Error('interrupted'));
    expect(await readdir(folder)).toEqual([]);
  });
});
