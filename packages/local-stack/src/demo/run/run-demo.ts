import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PolicySet, systemClock } from '@usher/limiter-core/bulk';
import { closingGraceMs } from '@usher/report';
import type { Intercept } from '../../endpoints/intercept.ts';
import { type Stack, startStack } from '../../stack.ts';
import { createStackLog } from '../../stack-log.ts';
import type { BulkBooking } from '../input/booking-file.ts';
import type { Progress } from '../output/progress.ts';
import { awaitDecisions, type DecidedBooking } from './decisions.ts';
import { receiveDispatches, type ShiftedClock } from './dispatches.ts';
import { drain, worked } from './drain.ts';
import { type Evidence, readCounters, readEvent, readLedger } from './evidence.ts';
import { type Patience, patienceUntil } from './patience.ts';
import { reportFilesOf } from './reports.ts';
import { submitAll } from './submit.ts';

const concurrency = 16;

export interface DemoOptions {
  readonly bookings: readonly BulkBooking[];
  readonly policies: PolicySet;
  /** The folder for the reports, an empty one, which stays. */
  readonly reportsDir: string;
  readonly progress: Progress;
  readonly onLog: (line: string) => void;
  /** Ends the run: the stack stops, its folder goes. */
  readonly signal: AbortSignal;
  /** A hook on every call of the stack's services, for tests. */
  readonly intercept?: Intercept | undefined;
}

/** A run: all that it left behind, its reports among it. */
export interface DemoRun extends Evidence {
  /** The paths of the day's report: its JSON, its CSV and its page; of each day where the bookings lie in several. */
  readonly reports: readonly string[];
}

/** Runs bookings through an embedded stack of its own, in a temporary folder, and gathers what it left behind. */
export async function runDemo(options: DemoOptions): Promise<DemoRun> {
  const dataDir = await mkdtemp(join(tmpdir(), 'usher-demo-'));
  try {
    const clock = shiftedClock();
    const log = createStackLog((line) => {
      // What fails because the run was ended is no news to who ended it.
      if (!options.signal.aborted) options.onLog(line);
    });
    const stack = await startStack({
      dataDir,
      port: 0,
      policies: options.policies,
      reportsDir: options.reportsDir,
      clock,
      log,
      intercept: options.intercept,
    });
    try {
      return await gather(stack, clock, { ...options, patience: patienceUntil(options.signal) });
    } catch (error) {
      // What was under way fails in a way of its own when it is interrupted.
      options.signal.throwIfAborted();
      throw error;
    } finally {
      options.progress.end();
      await stack.close();
    }
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function gather(
  stack: Stack,
  clock: ShiftedClock,
  { bookings, progress, patience }: DemoOptions & { patience: Patience },
): Promise<DemoRun> {
  const { url, clients, queues } = stack;
  const rows = bookings.reduce((sum, { reservations }) => sum + reservations.length, 0);

  progress.stage('submitting', rows);
  const submitted = await submitAll(url, bookings, {
    concurrency,
    patience,
    onAccepted: progress.add,
    onWait: progress.wait,
  });
  progress.stage('deciding', rows);
  const decided = await awaitDecisions(url, submitted, {
    concurrency,
    patience,
    onDecided: progress.add,
    onWait: () => progress.wait('the decisions'),
  });

  // A message leaves the queue when its events are published and its rows handed on; then all of them can be counted.
  progress.wait('the events');
  await worked(clients.sqs, queues.bookings, patience);
  const events = new Map<string, Evidence['events'][number]>();
  const takeEvent = (body: string): void => {
    const event = readEvent(body);
    events.set(`${event.detailType} ${event.detail.metadata.id}`, event);
  };
  await drain(clients.sqs, queues.events, takeEvent, patience.signal);
  const accountIds = [...new Set(bookings.map(({ accountId }) => accountId))];
  const counters = await readCounters(clients, accountIds);
  const ledger = await readLedger(clients);

  // The closer runs by the clock that is moved from here on, and is to find every event.
  progress.wait("the report's events");
  await worked(clients.sqs, queues.report, patience);
  const granted = decided.flatMap(({ decisions }) => decisions).filter(({ decision }) => decision === 'granted').length;
  progress.stage('handing on', granted);
  const dispatches = await receiveDispatches(stack, { rows: granted, clock, patience, onReceived: progress.add });
  const dates = [...events.values()].flatMap((event) =>
    event.detailType === 'Quota Usage Recorded' ? [event.detail.data.window.date] : [],
  );
  progress.wait("the day's report");
  const reports = await closeDays(stack, clock, { decided, dates });
  patience.signal.throwIfAborted();
  return { bookings: decided, counters, ledger, events: [...events.values()], dispatches, reports };
}

/** Moves the clock past the end of every account's day and has the closer report of it. */
async function closeDays(
  stack: Stack,
  clock: ShiftedClock,
  { decided, dates }: { decided: readonly DecidedBooking[]; dates: readonly string[] },
): Promise<string[]> {
  const lastMs = decided.reduce((latest, { resetsAt }) => Math.max(latest, Date.parse(resetsAt)), 0);
  clock.advance(Math.max(0, lastMs + closingGraceMs - clock()));
  await stack.closeDays();
  return reportFilesOf(stack, [...new Set(dates)].sort());
}

/** The machine's clock, which the demo moves forward once all is decided instead of waiting for the last dispatch. */
function shiftedClock(): ShiftedClock {
  let shiftMs = 0;
  const clock = (): number => systemClock() + shiftMs;
  return Object.assign(clock, {
    advance: (ms: number): void => {
      shiftMs += ms;
    },
  });
}
