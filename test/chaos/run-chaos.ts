import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '@usher/limiter-core';
import { awaitDecisions, type DecidedBooking, patienceUntil, UndecidedError } from '@usher/local-stack/testing';
import { Prng } from '../simulation/prng.ts';
import { messagesIn, readTable } from '../support/read-back.ts';
import { checkRun, type RunResult } from './checks.ts';
import { Consumer } from './consumer.ts';
import { Counts } from './counts.ts';
import { injectFaults } from './faults.ts';
import { type Connection, KillableStack } from './killable-stack.ts';
import { type Observations, submitBookings } from './partner.ts';
import { reportsOf } from './reports.ts';
import { type Account, accountsOf, Partner } from './scenario.ts';

export interface ChaosOptions {
  readonly seed: number;
  /** The least duration of the faults. */
  readonly seconds: number;
  /** Called at each step, with the milliseconds since the start. */
  readonly onProgress: (what: string, atMs: number) => void;
  /** Ends the run: every process is killed, and the folder removed. */
  readonly signal: AbortSignal;
}

/** The faults of a run, the traffic during them, and the result of the checks. */
export interface ChaosReport {
  /** Faults by kind. */
  readonly faults: Counts;
  /** Calls that faults have met, by kind of hit. */
  readonly hits: Counts;
  /** Messages that workers got, and how many of them had been handed out before. */
  readonly deliveries: { readonly messages: number; readonly redelivered: number };
  /** Answers to submissions, by status. */
  readonly answers: Counts;
  readonly bookings: number;
  readonly reservations: number;
  readonly granted: number;
  /** Events and dispatches, once per id, and how often one of them came again. */
  readonly events: number;
  readonly dispatches: number;
  readonly repeats: number;
  readonly tookMs: number;
  /** Every violation of a promise, each a sentence. */
  readonly violations: readonly string[];
}

/** Deliveries of one message after which the faults rest: ten would make it a dead letter. */
const restAfterDeliveries = 6;
const restMs = 6_000;
/** The longest wait, after the last fault, for everything to be decided and handed on. A schedule may last as long as the run. */
const drainMs = 240_000;

/** Plays a scenario on a stack in processes of its own, injects faults, and checks the result. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const dataDir = await mkdtemp(join(tmpdir(), 'usher-chaos-'));
  const accounts = accountsOf(options.seconds);
  const hits = new Counts();
  const deliveries = { messages: 0, redelivered: 0 };
  let restsUntilMs = 0;
  const policies = { accounts: Object.fromEntries(accounts.map(({ accountId, policy }) => [accountId, policy])) };
  const stack = new KillableStack({
    dataDir,
    policies,
    seed: options.seed,
    hits,
    onBatch: ({ messages, redelivered, mostDeliveries }) => {
      deliveries.messages += messages;
      deliveries.redelivered += redelivered;
      if (mostDeliveries >= restAfterDeliveries) restsUntilMs = systemClock() + restMs;
    },
  });
  const untilSafe = async (): Promise<void> => {
    while (systemClock() < restsUntilMs) await pause(200, undefined, { signal: options.signal });
  };
  try {
    return await runOn(stack, { ...options, accounts, hits, deliveries, untilSafe });
  } finally {
    await stack.close();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface RunOptions extends ChaosOptions {
  readonly accounts: readonly Account[];
  readonly hits: Counts;
  readonly deliveries: ChaosReport['deliveries'];
  readonly untilSafe: () => Promise<void>;
}

async function runOn(stack: KillableStack, options: RunOptions): Promise<ChaosReport> {
  const { seed, seconds, accounts, hits, untilSafe, signal } = options;
  const startedAtMs = systemClock();
  const say = (what: string): void => options.onProgress(what, systemClock() - startedAtMs);
  const prng = new Prng(seed);
  const faults = new Counts();
  const consumer = new Consumer();
  const observed: Observations = { accepted: [], decided: new Map(), violations: [], answers: new Counts() };
  const ending = new AbortController();
  const ended = new AbortController();
  const aborted = AbortSignal.any([ended.signal, signal]);
  await stack.running();

  const consuming = consumer.run(stack, aborted);
  const booking = Promise.all(
    accounts.map((account) =>
      submitBookings(new Partner(account, prng.int(0, 2 ** 31)), {
        stack,
        observed,
        ending: ending.signal,
        signal: aborted,
      }),
    ),
  );
  try {
    const injecting = injectFaults({ stack, prng, ms: 1000 * seconds, faults, hits, untilSafe, say, signal });
    // A partner that gives up ends the run as well.
    await Promise.race([injecting, booking.then(() => injecting)]);
    say('the faults are over; what was begun is brought to its end');
    ending.abort();
    await booking;
    say(`${observed.accepted.length} bookings are accepted; now they are to be decided and handed on`);
    const { result, undecided } = await drain(stack, observed, consumer, options);
    const decisions = result.evidence.bookings.flatMap((one) => one.decisions);
    return {
      faults,
      hits,
      deliveries: options.deliveries,
      answers: observed.answers,
      bookings: observed.accepted.length,
      reservations: observed.accepted.reduce((sum, { reservations }) => sum + reservations.length, 0),
      granted: decisions.filter(({ decision }) => decision === 'granted').length,
      events: consumer.events.size,
      dispatches: consumer.dispatches.size,
      repeats: consumer.repeats,
      tookMs: systemClock() - startedAtMs,
      violations: [...undecided, ...observed.violations, ...consumer.violations, ...checkRun(result)],
    };
  } finally {
    ended.abort();
    await Promise.allSettled([booking, consuming]);
  }
}

/** Waits until all is decided and handed on, then reads the result. */
async function drain(
  stack: KillableStack,
  observed: Observations,
  consumer: Consumer,
  { accounts, signal }: RunOptions,
): Promise<{ result: RunResult; undecided: string[] }> {
  const connection = await stack.running();
  const bookings: DecidedBooking[] = [];
  const undecided: string[] = [];
  try {
    const patience = patienceUntil(signal);
    const options = { concurrency: 8, patience, onDecided: () => undefined };
    bookings.push(...(await awaitDecisions(connection.intakeUrl, observed.accepted, options)));
  } catch (error) {
    if (!(error instanceof UndecidedError)) throw error;
    undecided.push(error.message);
  }
  const left = await emptied(connection, signal);
  const { accounts: states, ledger } = await readTable(connection.clients);
  const counters = [...states].map(([accountId, { usage }]) => {
    const total = (figure: 'used' | 'rejected') => [...usage.values()].reduce((sum, one) => sum + one[figure], 0);
    return [accountId, { used: total('used'), rejected: total('rejected') }] as const;
  });
  const { events, dispatches } = consumer;
  const evidence = {
    bookings,
    counters: new Map(counters),
    ledger,
    events: [...events.values()],
    dispatches: [...dispatches.values()],
  };
  const reports = await reportsOf(connection, new Set(observed.accepted.map(({ date }) => date)));
  const { accepted, decided: seen } = observed;
  return { result: { accounts, accepted, evidence, seen, reports, left }, undecided };
}

/** Waits until workers and consumers have emptied their queues. Returns the messages left, by queue. */
async function emptied({ clients, queues }: Connection, signal: AbortSignal): Promise<Record<string, number>> {
  const untilMs = systemClock() + drainMs;
  for (;;) {
    const counts = await Promise.all(
      Object.entries(queues).map(async ([name, { url }]) => [name, await messagesIn(clients, url)] as const),
    );
    const left = Object.fromEntries(counts);
    const { bookings = 0, pacing = 0, dispatch = 0, events = 0, report = 0 } = left;
    if (bookings + pacing + dispatch + events + report === 0 || systemClock() > untilMs) return left;
    await pause(250, undefined, { signal });
  }
}
