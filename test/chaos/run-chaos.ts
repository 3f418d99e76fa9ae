import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '@usher/limiter-core';
import { awaitDecisions, type DecidedBooking, patienceUntil, UndecidedError } from '@usher/local-stack/testing';
import { Prng } from '../simulation/prng.ts';
import { messagesIn, readTable } from '../support/read-back.ts';
import { Consumer } from './consumer.ts';
import { torment } from './faults.ts';
import { type Account, accountsOf, Partner } from './load.ts';
import { type Connection, MortalStack } from './stack.ts';
import { book, type Witness } from './submit.ts';
import { Tally } from './tally.ts';
import { differencesOf, type Findings } from './verdict.ts';

export interface ChaosOptions {
  readonly seed: number;
  /** How long the faults go on, at least. */
  readonly seconds: number;
  /** Told what happens, with the milliseconds since the start. */
  readonly onProgress: (what: string, atMs: number) => void;
  /** Ends the run: every process is killed, and the folder removed. */
  readonly signal: AbortSignal;
}

/** What was done to a stack, and what it made of it. */
export interface ChaosReport {
  /** Faults by kind. */
  readonly faults: Tally;
  /** What the endpoints did to calls. */
  readonly deeds: Tally;
  /** Messages that workers got, and how many of them had been handed out before. */
  readonly deliveries: { readonly messages: number; readonly again: number };
  /** What partners got for their submissions, by status. */
  readonly answers: Tally;
  readonly bookings: number;
  readonly reservations: number;
  readonly granted: number;
  /** Events and dispatches, once per id, and how often one of them came again. */
  readonly events: number;
  readonly dispatches: number;
  readonly repeats: number;
  readonly tookMs: number;
  /** Everything that is not as it must be. */
  readonly differences: readonly string[];
}

/** So often a message is handed out, and the faults rest: ten deliveries would make it a dead letter. */
const restAfterDeliveries = 6;
const restMs = 6_000;
/** So long after the last fault everything is decided and handed on; a schedule may go on for as long as the run. */
const drainMs = 240_000;

/** Runs a load on a stack in processes of its own, in a temporary folder, torments it, and audits what it left. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const dataDir = await mkdtemp(join(tmpdir(), 'usher-chaos-'));
  const accounts = accountsOf(options.seconds);
  const deeds = new Tally();
  const deliveries = { messages: 0, again: 0 };
  let restsUntilMs = 0;
  const policies = { accounts: Object.fromEntries(accounts.map(({ accountId, policy }) => [accountId, policy])) };
  const stack = new MortalStack({
    dataDir,
    policies,
    seed: options.seed,
    deeds,
    onBatch: ({ messages, again, most }) => {
      deliveries.messages += messages;
      deliveries.again += again;
      if (most >= restAfterDeliveries) restsUntilMs = systemClock() + restMs;
    },
  });
  const mercy = async (): Promise<void> => {
    while (systemClock() < restsUntilMs) await pause(200, undefined, { signal: options.signal });
  };
  try {
    return await runOn(stack, { ...options, accounts, deeds, deliveries, mercy });
  } finally {
    await stack.close();
    await rm(dataDir, { recursive: true, force: true, maxRetries: 3 });
  }
}

interface RunOptions extends ChaosOptions {
  readonly accounts: readonly Account[];
  readonly deeds: Tally;
  readonly deliveries: ChaosReport['deliveries'];
  readonly mercy: () => Promise<void>;
}

async function runOn(stack: MortalStack, options: RunOptions): Promise<ChaosReport> {
  const { seed, seconds, accounts, deeds, mercy, signal } = options;
  const startedAtMs = systemClock();
  const say = (what: string): void => options.onProgress(what, systemClock() - startedAtMs);
  const prng = new Prng(seed);
  const faults = new Tally();
  const consumer = new Consumer();
  const witness: Witness = { accepted: [], decided: new Map(), complaints: [], answers: new Tally() };
  const ending = new AbortController();
  const ended = new AbortController();
  const aborted = AbortSignal.any([ended.signal, signal]);
  await stack.running();

  const consuming = consumer.run(stack, aborted);
  const booking = Promise.all(
    accounts.map((account) =>
      book(new Partner(account, prng.int(0, 2 ** 31)), { stack, witness, ending: ending.signal, signal: aborted }),
    ),
  );
  try {
    const tormenting = torment({ stack, prng, ms: 1000 * seconds, tally: faults, deeds, mercy, say, signal });
    // A partner that gives up ends the run as well.
    await Promise.race([tormenting, booking.then(() => tormenting)]);
    say('the faults are over; what was begun is brought to its end');
    ending.abort();
    await booking;
    say(`${witness.accepted.length} bookings are accepted; now they are to be decided and handed on`);
    const { findings, undecided } = await drain(stack, witness, consumer, options);
    const decisions = findings.evidence.bookings.flatMap((one) => one.decisions);
    return {
      faults,
      deeds,
      deliveries: options.deliveries,
      answers: witness.answers,
      bookings: witness.accepted.length,
      reservations: witness.accepted.reduce((sum, { reservations }) => sum + reservations.length, 0),
      granted: decisions.filter(({ decision }) => decision === 'granted').length,
      events: consumer.events.size,
      dispatches: consumer.dispatches.size,
      repeats: consumer.repeats,
      tookMs: systemClock() - startedAtMs,
      differences: [...undecided, ...witness.complaints, ...consumer.complaints, ...differencesOf(findings)],
    };
  } finally {
    ended.abort();
    await Promise.allSettled([booking, consuming]);
  }
}

/** Waits until all is decided and handed on, and reads what there is then. */
async function drain(
  stack: MortalStack,
  witness: Witness,
  consumer: Consumer,
  { accounts, signal }: RunOptions,
): Promise<{ findings: Findings; undecided: string[] }> {
  const connection = await stack.running();
  const bookings: DecidedBooking[] = [];
  const undecided: string[] = [];
  try {
    const patience = patienceUntil(signal);
    const options = { concurrency: 8, patience, onDecided: () => undefined };
    bookings.push(...(await awaitDecisions(connection.intakeUrl, witness.accepted, options)));
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
  return { findings: { accounts, accepted: witness.accepted, evidence, seen: witness.decided, left }, undecided };
}

/** Waits until workers and consumers have emptied their queues, and answers what is left in which. */
async function emptied({ clients, queues }: Connection, signal: AbortSignal): Promise<Record<string, number>> {
  const untilMs = systemClock() + drainMs;
  for (;;) {
    const counts = await Promise.all(
      Object.entries(queues).map(async ([name, { url }]) => [name, await messagesIn(clients, url)] as const),
    );
    const left = Object.fromEntries(counts);
    const { bookings = 0, pacing = 0, dispatch = 0, events = 0 } = left;
    if (bookings + pacing + dispatch + events === 0 || systemClock() > untilMs) return left;
    await pause(250, undefined, { signal });
  }
}
