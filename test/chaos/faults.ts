import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '@usher/limiter-core';
import type { Prng } from '../simulation/prng.ts';
import type { Counts } from './counts.ts';
import type { KillableStack } from './killable-stack.ts';
import type { CallFault, Hit } from './messages.ts';

/** The stack that faults are injected into, and how. */
export interface FaultOptions {
  readonly stack: KillableStack;
  readonly prng: Prng;
  /** The least duration; each kind of fault comes once in any case. */
  readonly ms: number;
  /** Faults injected, by kind. */
  readonly faults: Counts;
  /** Calls that faults have met, by kind of hit; a fault without a hit is injected again. */
  readonly hits: Counts;
  /** Resolves once no message is near its last delivery. */
  readonly untilSafe: () => Promise<void>;
  readonly say: (what: string) => void;
  readonly signal: AbortSignal;
}

/** Injects faults of every kind, in an order of the seed's. Workers are killed and calls cut all the while. */
export async function injectFaults(options: FaultOptions): Promise<void> {
  const { prng, ms, untilSafe, signal } = options;
  const untilMs = systemClock() + ms;
  const ended = new AbortController();
  const meanwhile = Promise.all([killWorkers(options, ended.signal), cutCallsMeanwhile(options, ended.signal)]);
  try {
    for (let round = 0; round === 0 || systemClock() < untilMs; round++) {
      for (const fault of orderOf(round, prng)) {
        if (round > 0 && systemClock() >= untilMs) break;
        await pause(prng.int(100, 600), undefined, { signal });
        await untilSafe();
        await fault(options);
      }
    }
  } finally {
    ended.abort();
    await meanwhile;
  }
}

/**
 * The first round begins with the kills of intakes: a booking that one was at waits for its lease of 30 seconds, which
 * then goes by while the rest of the round goes on.
 */
function orderOf(round: number, prng: Prng): Fault[] {
  return round === 0
    ? [...prng.shuffled(kills), ...prng.shuffled(callFaults)]
    : prng.shuffled([...kills, ...callFaults]);
}

async function killWorkers({ stack, prng, faults, untilSafe }: FaultOptions, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    await pause(prng.int(150, 600), undefined, { signal: ended }).catch(() => undefined);
    await untilSafe();
    // One at least goes on: it may be the only one that has been started yet.
    if (ended.aborted || stack.pollingWorkers < 2) continue;
    faults.add('workers killed');
    await stack.killWorker(prng.int(0, 1_000));
  }
}

/** Cuts a few calls all the while: many more writes lose their reply than by the short faults alone. */
async function cutCallsMeanwhile({ stack }: FaultOptions, ended: AbortSignal): Promise<void> {
  const ms = 400;
  while (!ended.aborted) {
    stack.injectFault({ service: 'dynamodb', kind: 'cut', rate: 0.15, ms });
    stack.injectFault({ service: 'eventbridge', kind: 'cut', rate: 0.05, ms });
    stack.injectFault({ service: 'sqs', kind: 'cut', rate: 0.03, ms });
    await pause(ms, undefined, { signal: ended }).catch(() => undefined);
  }
}

type Fault = (options: FaultOptions) => Promise<void>;

const kills: readonly Fault[] = [killIntake, killStack, fillDisk];

const callFaults: readonly Fault[] = [
  callFault({ service: 'dynamodb', kind: 'refuse' }),
  callFault({ service: 'dynamodb', kind: 'stall' }),
  callFault({ service: 'dynamodb', kind: 'cut' }),
  callFault({ service: 'sqs', kind: 'refuse' }),
  callFault({ service: 'sqs', kind: 'cut' }),
  callFault({ service: 'eventbridge', kind: 'refuse' }),
  callFault({ service: 'eventbridge', kind: 'stall' }),
];

function callFault({ service, kind }: Pick<CallFault, 'service' | 'kind'>): Fault {
  return async ({ stack, prng, faults, hits, say, signal }) => {
    const rate = prng.pick([0.2, 0.5, 1]);
    const ms = prng.int(500, 1_500);
    const name = `${service}: ${kind}`;
    faults.add(name);
    say(`${name} ${rate * 100} % of the calls for ${ms} ms`);
    const hitsNow = (): number => hitsOf[kind].reduce((sum, hit) => sum + hits.of(hit), 0);
    const before = hitsNow();
    for (let attempt = 0; attempt < maxAttempts && hitsNow() === before; attempt++) {
      stack.injectFault({ service, kind, rate, ms });
      await pause(ms, undefined, { signal });
    }
  };
}

/** The most injections of one fault until a call has met it. */
const maxAttempts = 10;
const hitsOf: Readonly<Record<CallFault['kind'], readonly Hit[]>> = {
  refuse: ['calls refused'],
  stall: ['calls stalled'],
  cut: ['requests cut', 'replies cut', 'replies of UpdateItem cut'],
};

async function killIntake({ stack, faults, say }: FaultOptions): Promise<void> {
  faults.add('intake killed');
  say('the intake is killed');
  await stack.killIntake();
}

async function killStack({ stack, prng, faults, say }: FaultOptions): Promise<void> {
  const aloneMs = prng.int(0, 800);
  faults.add('stack killed');
  say(`the endpoints are killed, and ${aloneMs} ms later all the rest`);
  await stack.killAll(aloneMs);
}

/** The endpoints start on a disk that they fill first, serve nothing that is to be stored for a while, and are killed. */
async function fillDisk({ stack, prng, faults, say, signal }: FaultOptions): Promise<void> {
  faults.add('disk full');
  say('the stack is killed, and finds a disk that is soon full');
  try {
    await stack.killAll(0, { diskFills: true });
    await pause(prng.int(1_000, 2_500), undefined, { signal });
  } catch {
    // The disk was too full to start on.
    faults.add('could not start on a full disk');
  }
  signal.throwIfAborted();
  say('there is room again, and the stack is killed once more');
  await stack.killAll(0);
}
