import { getEventListeners } from 'node:events';
import { expect, test } from 'vitest';
import { InvalidArgumentError, UsherError } from '../errors.ts';
import { StoreUnavailableError } from '../limiter/errors.ts';
import type { Limits } from '../limiter/store.ts';
import { calendarWindow, fixedWindow } from '../limiter/strategies/window.ts';
import { type RedisClient, redis } from './index.ts';

const limits: Limits = {
  limiter: 'api',
  key: 'k',
  policies: [{ name: 'default', strategy: fixedWindow({ limit: 5, windowMs: 1_000 }) }],
  nowMs: 1_700_000_000_000,
};

/** A client that answers every call alike. */
function answering(answer: () => Promise<unknown>): RedisClient {
  return { evalScript: answer, evalSha1: answer };
}

test('a wait ends when its signal is aborted, though no answer comes, and nothing is asked after that', async () => {
  let calls = 0;
  const silent = answering(() => {
    calls += 1;
    return new Promise(() => undefined);
  });
  const abort = new AbortController();
  const store = redis({ client: silent });
  const take = store.take({ ...limits, signal: abort.signal }, 1);
  const reason = new StoreUnavailableError('too late');
  abort.abort(reason);
  await expect(take).rejects.toBe(reason);
  await expect(store.take({ ...limits, signal: abort.signal }, 1)).rejects.toBe(reason);
  expect(calls).toBe(1);
});

test('an answer that comes in time leaves no listener on the signal', async () => {
  const { signal } = new AbortController();
  let listening = 0;
  const client = answering(async () => {
    await Promise.resolve();
    listening = getEventListeners(signal, 'abort').length;
    return 'T 1700000000000 0|w 1700000000000 1700000001000 1';
  });
  expect(await redis({ client }).take({ ...limits, signal }, 1)).toMatchObject({ taken: true });
  expect(listening).toBe(1);
  expect(getEventListeners(signal, 'abort')).toEqual([]);
});

test.each([[undefined], [null], [1], ['OK'], ['T 1 0|b 1 2'], ['T 1 0|w 1 2 3 4'], ['T 1.5 0'], [['T', '1']]])(
  'an answer that the script does not give is told: %j',
  async (answer) => {
    const take = redis({ client: answering(async () => answer) }).take(limits, 1);
    await expect(take).rejects.toBeInstanceOf(UsherError);
    await expect(take).rejects.toThrow('Redis must answer');
  },
);

test('a server whose time is never in the window that it names ends the calls', async () => {
  let calls = 0;
  const odd = answering(async () => {
    calls += 1;
    return 'X 1700000000000';
  });
  const policies = [{ name: 'default', strategy: calendarWindow({ limit: 5, unit: 'day' }) }];
  const take = redis({ client: odd }).take({ ...limits, policies }, 1);
  await expect(take).rejects.toThrow("outside its calendar's window");
  expect(calls).toBeGreaterThan(1);
});

test.each([
  [{ client: {} }, 'client'],
  [{ client: { eval: async () => '', evalsha: async () => '' } }, 'client'],
  [{ client: answering(async () => ''), prefix: 7 }, 'prefix'],
  [{ client: answering(async () => ''), prefix: '\ud800' }, 'prefix'],
  [{ client: answering(async () => ''), refusalCacheMs: -1 }, 'refusalCacheMs'],
  [{ client: answering(async () => ''), refusalCacheSize: 0 }, 'refusalCacheSize'],
  [{ client: answering(async () => ''), lease: { size: 0, maxAgeMs: 1 } }, 'lease.size'],
])('an option that is none is told by its name: %j', (options, name) => {
  const make = (): unknown => Reflect.apply(redis, undefined, [options]);
  expect(make).toThrow(InvalidArgumentError);
  expect(make).toThrow(`${name} must be`);
});
