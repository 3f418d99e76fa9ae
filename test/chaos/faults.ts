import { setTimeout as pause } from 'node:timers/promises';
import { systemClock } from '@usher/limiter-core';
import type { Prng } from '../simulation/prng.ts';
import type { Deed, Trouble } from './messages.ts';
import type { MortalStack } from './stack.ts';
import type { Tally } from './tally.ts';

export interface FaultsOptions {
  readonly stack: MortalStack;
  readonly prng: Prng;
  /** How long the faults go on at least; each kind comes once in any case. */
  readonly ms: number;
  /** What was done. */
  readonly tally: Tally;
  /** What the endpoints did to calls: a trouble that none has met is no trouble. */
  readonly deeds: Tally;
  /** Resolves when no message is near its last delivery. */
  readonly mercy: () => Promise<void>;
  readonly say: (what: string) => void;
  readonly signal: AbortSignal;
}

/** Does to the stack all that can be done to it, for a while: kinds in an order of the seed's; workers are killed meanwhile. */
export async function torment(options: FaultsOptions): Promise<void> {
  const { prng, ms, mercy, signal } = options;
  const untilMs = systemClock() + ms;
  const ended = new AbortController();
  const meanwhile = Promise.all([killWorkers(options, ended.signal), makeNoise(options, ended.signal)]);
  try {
    for (let round = 0; round === 0 || systemClock() < untilMs; round++) {
      for (const fault of orderOf(round, prng)) {
        if (round > 0 && systemClock() >= untilMs) break;
        await pause(prng.int(100, 600), undefined, { signal });
        await mercy();
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
  return round === 0 ? [...prng.shuffled(kills), ...prng.shuffled(troubles)] : prng.shuffled([...kills, ...troubles]);
}

async function killWorkers({ stack, prng, tally, mercy }: FaultsOptions, ended: AbortSignal): Promise<void> {
  while (!ended.aborted) {
    await pause(prng.int(150, 600), undefined, { signal: ended }).catch(() => undefined);
    await mercy();
    // One at least goes on: it may be the only one that has been started yet.
    if (ended.aborted || stack.pollingWorkers < 2) continue;
    tally.add('workers killed');
    await stack.killWorker(prng.int(0, 1_000));
  }
}

/** All the while a few calls are cut off: many more writes lose their reply than in the short troubles alone. */
async function makeNoise({ stack }: FaultsOptions, ended: AbortSignal): Promise<void> {
  const ms = 400;
  while (!ended.aborted) {
    stack.make({ service: 'dynamodb', does: 'cut', share: 0.15, ms });
    stack.make({ service: 'eventbridge', does: 'cut', share: 0.05, ms });
    stack.make({ service: 'sqs', does: 'cut', share: 0.03, ms });
    await pause(ms, undefined, { signal: ended }).catch(() => undefined);
  }
}

type Fault = (options: FaultsOptions) => Promise<void>;

const kills: readonly Fault[] = [killIntake, killStack, fillDisk];

const troubles: readonly Fault[] = [
  trouble({ service: 'dynamodb', does: 'refuse' }),
  trouble({ service: 'dynamodb', does: 'stall' }),
  trouble({ service: 'dynamodb', does: 'cut' }),
  trouble({ service: 'sqs', does: 'refuse' }),
  trouble({ service: 'sqs', does: 'cut' }),
  trouble({ service: 'eventbridge', does: 'refuse' }),
  trouble({ service: 'eventbridge', does: 'stall' }),
];

function trouble({ service, does }: Pick<Trouble, 'service' | 'does'>): Fault {
  return async ({ stack, prng, tally, deeds, say, signal }) => {
    const share = prng.pick([0.2, 0.5, 1]);
    const ms = prng.int(500, 1_500);
    const name = `${service}: ${does}`;
    tally.add(name);
    say(`${name} ${share * 100} % of the calls for ${ms} ms`);
    const felt = (): number => deedsOf[does].reduce((sum, deed) => sum + deeds.of(deed), 0);
    const before = felt();
    for (let attempt = 0; attempt < patience && felt() === before; attempt++) {
      stack.make({ service, does, share, ms });
      await pause(ms, undefined, { signal });
    }
  };
}

/** So often a trouble is made again that no call has met. */
const patience = 10;
const deedsOf: Readonly<Record<Trouble['does'], readonly Deed[]>> = {
  refuse: ['calls refused'],
  stall: ['calls stalled'],
  cut: ['requests cut', 'replies cut', 'replies of UpdateItem cut'],
};

async function killIntake({ stack, tally, say }: FaultsOptions): Promise<void> {
  tally.add('intake killed');
  say('the intake is killed');
  await stack.killIntake();
}

async function killStack({ stack, prng, tally, say }: FaultsOptions): Promise<void> {
  const aloneMs = prng.int(0, 800);
  tally.add('stack killed');
  say(`the endpoints are killed, and ${aloneMs} ms later all the rest`);
  await stack.killAll(aloneMs);
}

/** The endpoints start on a disk that they fill first, serve nothing that is to be stored for a while, and are killed. */
async function fillDisk({ stack, prng, tally, say, signal }: FaultsOptions): Promise<void> {
  tally.add('disk full');
  say('the stack is killed, and finds a disk that is soon full');
  try {
    await stack.killAll(0, { diskFills: true });
    await pause(prng.int(1_000, 2_500), undefined, { signal });
  } catch {
    // The disk was too full to start on.
    tally.add('could not start on a full disk');
  }
  signal.throwIfAborted();
  say('there is room again, and the stack is killed once more');
  await stack.killAll(0);
}
