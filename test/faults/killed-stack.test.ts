import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BookingAccepted, BookingStatus } from '@usher/contracts';
import { type } from 'arktype';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Consumer, expectBalance, expectNothingSetAside, readBooks } from '../support/books.ts';
import { startChild } from '../support/child.ts';
import type { Accepted } from '../support/first-fit.ts';
import { connectWith, noCrash } from '../support/process.ts';
import { messagesIn } from '../support/read-back.ts';
import { until, untilTrue } from '../support/until.ts';
import { type Bulk, noon } from '../support/world.ts';
import { ones } from './scenario.ts';
import { Addresses } from './worker-order.ts';

const Running = type('string.json.parse').to(type(Addresses, '&', { url: 'string' }));
type Running = typeof Running.infer;

/** The time from one start to the next: the lease of an attempt that died with the stack is over. */
const betweenStartsMs = 90_000;
const dailyLimit = 700;
const accountIds = ['ada', 'bob', 'eve', 'joe'];
const limits = Object.fromEntries(accountIds.map((accountId) => [accountId, dailyLimit]));
const policies = { default: { dailyLimit, refillPerSecond: 1_000, burst: 1_000 } };

/** The embedded stack on one folder, whose process is killed and started again. */
class RestartedStack {
  /** The stack that runs, or is about to. */
  running: Promise<Running>;
  /** Requests that had no answer since the stack was killed. */
  cutRequests = 0;
  readonly #dataDir: string;
  #startsAtMs = Date.parse(noon);
  #kill: () => Promise<void> = async () => undefined;

  constructor(dataDir: string) {
    this.#dataDir = dataDir;
    this.running = this.#start();
  }

  killAndRestart(): void {
    this.running = this.#kill().then(() => this.#start());
  }

  async #start(): Promise<Running> {
    const order = { dataDir: this.#dataDir, startsAtMs: this.#startsAtMs, policies };
    const child = startChild(new URL('./stack-process.ts', import.meta.url), order);
    this.#kill = child.kill;
    this.#startsAtMs += betweenStartsMs;
    return Running.assert(await child.firstLine());
  }
}

/** Submits a booking, with its key again, until it is answered 202. */
async function submit(stack: RestartedStack, booking: Bulk): Promise<Accepted> {
  const { accountId, key, costs } = booking;
  const body = JSON.stringify({ reservations: costs.map((cost, row) => ({ id: `${key}-${row}`, cost })) });
  return await until(`booking ${key} of ${accountId} is accepted`, async () => {
    const { url } = await stack.running;
    const answer = await fetch(`${url}/v1/bookings`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer dev:${accountId}`,
        'Content-Type': 'application/json',
        'Idempotency-Key': key,
      },
      body,
    })
      .then(async (response) => ({ status: response.status, text: await response.text() }))
      .catch(() => undefined);
    if (answer === undefined) stack.cutRequests += 1;
    return answer?.status === 202 ? { ...booking, ...BookingAccepted.assert(JSON.parse(answer.text)) } : undefined;
  });
}

async function statusOf(stack: RestartedStack, { accountId, bookingId }: Accepted): Promise<BookingStatus> {
  const { url } = await stack.running;
  const headers = { Authorization: `Bearer dev:${accountId}` };
  return BookingStatus.assert(await (await fetch(`${url}/v1/bookings/${bookingId}`, { headers })).json());
}

describe('the embedded stack, killed by SIGKILL again and again in the middle of a load', () => {
  it('decides every booking that was answered 202, counts each once and loses nothing', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'usher-killed-'));
    onTestFinished(() => rm(dataDir, { recursive: true }));
    const stack = new RestartedStack(dataDir);
    const accepted: Accepted[] = [];
    const lanes = accountIds.map(async (accountId) => {
      for (let n = 0; n < 5; n++) {
        accepted.push(await submit(stack, { accountId, key: `${accountId}-${n}`, costs: ones(230) }));
        // At once, while the other accounts are being served and the worker is at what was accepted.
        if ([4, 9, 14, 20].includes(accepted.length)) stack.killAndRestart();
      }
    });
    await Promise.all(lanes);
    expect(new Set(accepted.map(({ bookingId }) => bookingId)).size).toBe(20);
    expect(stack.cutRequests).toBeGreaterThan(0);

    for (const booking of accepted) {
      const isDecided = async () => (await statusOf(stack, booking)).status === 'decided';
      await untilTrue(`booking ${booking.key} is decided`, isDecided);
    }
    const { urls, queues } = await stack.running;
    const { clients, destroy } = connectWith(urls, {}, noCrash);
    onTestFinished(destroy);
    const consumer = new Consumer();
    await untilTrue('nothing is left in the queues', async () => {
      await consumer.drain(clients, queues, Number.POSITIVE_INFINITY);
      const queued = [queues.bookings, queues.pacing, queues.dispatch, queues.events];
      const left = await Promise.all(queued.map(({ url }) => messagesIn(clients, url)));
      return left.every((messages) => messages === 0);
    });
    expectBalance(await readBooks(clients, consumer), accepted, limits);
    await expectNothingSetAside({ clients, queues });
  });
});
