import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BookingAccepted, Dispatch, Quota, type Reservation, type UsherEvent } from '@usher/contracts';
import { readPolicyFile, type VirtualClock, virtualClock } from '@usher/limiter-core/bulk';
import { type } from 'arktype';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { awaitDecisions, type DecidedBooking } from './demo/run/decisions.ts';
import { drain, worked } from './demo/run/drain.ts';
import { readEvent } from './demo/run/evidence.ts';
import type { Patience } from './demo/run/patience.ts';
import { authorization } from './demo/run/submit.ts';
import { DataFolderInUseError, PortUnavailableError } from './errors.ts';
import { type Stack, startStack } from './stack.ts';

const parseDispatch = type('string.json.parse').to(Dispatch);
/** Asks again as soon as everything else had its turn. */
const eager: Patience = {
  signal: new AbortController().signal,
  pause: () => new Promise((resolve) => setImmediate(resolve)),
};

describe('the stack', () => {
  let clock: VirtualClock;
  let dataDir: string;
  let logged: unknown[];
  let running: Stack | undefined;

  beforeEach(async () => {
    clock = virtualClock('2026-11-29T12:00:00Z');
    dataDir = await mkdtemp(join(tmpdir(), 'usher-stack-'));
    logged = [];
  });
  afterEach(async () => {
    await stop();
    await rm(dataDir, { recursive: true });
    expect(logged).toEqual([]);
  });

  async function start(policies: object = {}): Promise<Stack> {
    running = await startStack(optionsWith(policies));
    return running;
  }

  function optionsWith(policies: object, port = 0): Parameters<typeof startStack>[0] {
    const note = (message: string, fields: unknown): void => void logged.push([message, fields]);
    const log = { info: () => {}, warn: note, error: note };
    return { dataDir, port, policies: readPolicyFile(policies), clock, log };
  }

  async function stop(): Promise<void> {
    await running?.close();
    running = undefined;
  }

  async function post({ url }: Stack, accountId: string, key: string, reservations: Reservation[]) {
    const answer = await fetch(`${url}/v1/bookings`, {
      method: 'POST',
      headers: { ...authorization(accountId), 'Content-Type': 'application/json', 'Idempotency-Key': key },
      body: JSON.stringify({ reservations }),
    });
    expect(answer.status).toBe(202);
    const isReplayed = answer.headers.get('Idempotency-Replayed') === 'true';
    return { accepted: BookingAccepted.assert(await answer.json()), isReplayed };
  }

  /** Submits a booking and waits until it is decided and all that follows from it is sent. */
  async function book(
    stack: Stack,
    accountId: string,
    key: string,
    rows: Reservation[],
  ): Promise<DecidedBooking['decisions']> {
    const { accepted } = await post(stack, accountId, key, rows);
    const booking = { accountId, idempotencyKey: key, bookingId: accepted.bookingId, reservations: rows };
    const options = { concurrency: 1, patience: eager, onDecided: () => {} };
    const [decided] = await awaitDecisions(stack.url, [booking], options);
    await worked(stack.clients.sqs, stack.queues.bookings, eager);
    return decided?.decisions ?? [];
  }

  async function quota({ url }: Stack, accountId: string) {
    const answer = await fetch(`${url}/v1/quota`, { headers: authorization(accountId) });
    const { limit, used, rejected } = Quota.assert(await answer.json());
    return { limit, used, rejected };
  }

  async function events({ clients, queues }: Stack): Promise<UsherEvent[]> {
    const found: UsherEvent[] = [];
    await drain(clients.sqs, queues.events, (body) => void found.push(readEvent(body)));
    return found;
  }

  async function dispatches({ clients, queues }: Stack): Promise<Dispatch[]> {
    const found: Dispatch[] = [];
    await drain(clients.sqs, queues.dispatch, (body) => void found.push(parseDispatch.assert(body)));
    return found;
  }

  test('takes a booking from HTTP to its decision, its events and its dispatch', async () => {
    const stack = await start({ default: { dailyLimit: 5, burst: 2, refillPerSecond: 1, thresholds: [] } });
    const rows = [
      { id: 'A-17', cost: 2, details: { seat: '4C' } },
      { id: 'A-18', cost: 4 },
      { id: 'A-19', cost: 2 },
    ];
    expect(await book(stack, 'demo', 'k1', rows)).toEqual([
      { id: 'A-17', decision: 'granted', cost: 2, dispatchAt: '2026-11-29T12:00:00.000Z' },
      { id: 'A-18', decision: 'rejected', cost: 4, reason: 'daily_quota_exceeded' },
      { id: 'A-19', decision: 'granted', cost: 2, dispatchAt: '2026-11-29T12:00:02.000Z' },
    ]);
    expect(await quota(stack, 'demo')).toEqual({ limit: 5, used: 4, rejected: 4 });

    const published = await events(stack);
    expect(published.map(({ detailType }) => detailType).sort()).toEqual([
      'Quota Usage Recorded',
      'Reservations Rejected',
    ]);
    expect(published.find(({ detailType }) => detailType === 'Reservations Rejected')?.detail.data).toMatchObject({
      accountId: 'demo',
      limit: 5,
      reservations: [{ id: 'A-18', cost: 4, reason: 'daily_quota_exceeded' }],
    });

    expect((await dispatches(stack)).map(({ reservations }) => reservations)).toEqual([[rows[0]]]);
    clock.advance(1999);
    expect(await dispatches(stack)).toEqual([]);
    clock.advance(1);
    expect((await dispatches(stack)).map(({ reservations }) => reservations)).toEqual([[rows[2]]]);
  });

  test('decides by the policies of its set: the default, an account of its own, an account that is observed', async () => {
    const stack = await start({
      default: { dailyLimit: 5 },
      accounts: { big: { dailyLimit: 50 }, watched: { mode: 'observe' } },
    });
    const rows = [
      { id: 'r1', cost: 5 },
      { id: 'r2', cost: 10 },
    ];
    const decisionsOf = async (accountId: string) =>
      (await book(stack, accountId, 'k1', rows)).map(({ decision }) => decision);
    expect(await decisionsOf('small')).toEqual(['granted', 'rejected']);
    expect(await decisionsOf('big')).toEqual(['granted', 'granted']);
    expect(await decisionsOf('watched')).toEqual(['granted', 'granted']);
    expect(await quota(stack, 'big')).toEqual({ limit: 50, used: 15, rejected: 0 });
    const rejections = (await events(stack)).flatMap((event) =>
      event.detailType === 'Reservations Rejected' ? [event.detail.data] : [],
    );
    expect(rejections.map(({ accountId, mode }) => [accountId, mode]).sort()).toEqual([
      ['small', 'enforce'],
      ['watched', 'observe'],
    ]);
  });

  test('goes on where it stopped: quota, bookings and idempotency keys', async () => {
    const policies = { default: { dailyLimit: 5 } };
    const rows = [{ id: 'r1', cost: 3 }];
    const before = await start(policies);
    const { accepted } = await post(before, 'demo', 'k1', rows);
    await book(before, 'demo', 'k1', rows);
    await stop();

    clock.advance(60_000);
    const after = await start(policies);
    expect(after.url).not.toBe(before.url);
    expect(await quota(after, 'demo')).toEqual({ limit: 5, used: 3, rejected: 0 });
    expect(await post(after, 'demo', 'k1', rows)).toEqual({ accepted, isReplayed: true });
    const more = [
      { id: 'r1', cost: 3 },
      { id: 'r2', cost: 2 },
    ];
    expect((await book(after, 'demo', 'k2', more)).map(({ decision }) => decision)).toEqual(['rejected', 'granted']);
    expect(await quota(after, 'demo')).toEqual({ limit: 5, used: 5, rejected: 3 });
  });

  test('decides after a restart what it had accepted before', async () => {
    const before = await start();
    const accepted = await Promise.all(
      Array.from({ length: 5 }, (_, i) => post(before, `account-${i}`, 'k1', [{ id: 'r1', cost: 1 }])),
    );
    expect(accepted).toHaveLength(5);
    await stop();
    const after = await start();
    for (let i = 0; i < 5; i++) {
      expect((await book(after, `account-${i}`, 'k1', [{ id: 'r1', cost: 1 }])).map((row) => row.decision)).toEqual([
        'granted',
      ]);
      expect(await quota(after, `account-${i}`)).toMatchObject({ used: 1 });
    }
  });

  test('drops the override of an account that the next policy file lacks', async () => {
    const one = [{ id: 'r1', cost: 4 }];
    const before = await start({ default: { dailyLimit: 3 }, accounts: { demo: { dailyLimit: 5 } } });
    expect((await book(before, 'demo', 'k1', one)).map(({ decision }) => decision)).toEqual(['granted']);
    await stop();
    const after = await start({ default: { dailyLimit: 3 } });
    expect(await quota(after, 'demo')).toEqual({ limit: 3, used: 4, rejected: 0 });
    expect((await book(after, 'demo', 'k2', one)).map(({ decision }) => decision)).toEqual(['rejected']);
  });

  test('answers nobody without a development token', async () => {
    const { url } = await start();
    for (const headers of [{}, { Authorization: 'Bearer dev:a b' }, { Authorization: 'Basic dev:a' }]) {
      const answer = await fetch(`${url}/v1/quota`, { headers });
      expect(answer.status).toBe(401);
      expect(answer.headers.get('WWW-Authenticate')).toContain('Bearer');
    }
  });

  test('refuses a folder that another stack uses, by its name', async () => {
    await start();
    const second = startStack(optionsWith({}));
    await expect(second).rejects.toThrow(DataFolderInUseError);
    await expect(second).rejects.toThrow(dataDir);
  });

  test('leaves the folder free where its port is taken', async () => {
    const other = await start();
    const port = Number(new URL(other.url).port);
    const free = await mkdtemp(join(tmpdir(), 'usher-stack-'));
    await expect(startStack({ ...optionsWith({}, port), dataDir: free })).rejects.toThrow(PortUnavailableError);
    await stop();
    await (await startStack({ ...optionsWith({}), dataDir: free })).close();
    await rm(free, { recursive: true });
  });
});
