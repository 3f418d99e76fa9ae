import { expect, test, vi } from 'vitest';
import { virtualClock } from '../clock.ts';
import { InvalidArgumentError } from '../errors.ts';
import { StoreUnavailableError } from '../limiter/errors.ts';
import { createLimiter } from '../limiter/limiter.ts';
import { memory } from '../limiter/memory-store.ts';
import { fixedWindow } from '../limiter/strategies/window.ts';
import { addressKey, tokenKey } from './caller.ts';
import { gate, type Platform } from './gate.ts';

interface Incoming {
  readonly claims?: unknown;
  readonly peer?: string;
  readonly forwardedFor?: string;
  readonly size?: number;
}
const platform: Platform<Incoming> = {
  claims: ({ claims }) => claims,
  route: ({ peer = '192.0.2.7', forwardedFor }) => ({ peer, forwardedFor }),
};
const clock = virtualClock('2026-03-10T12:00:00Z');
const ada = { iss: 'https://issuer.example', sub: 'ada' };

function newLimiter() {
  return createLimiter({ strategy: fixedWindow({ limit: 5, windowMs: 60_000 }), clock });
}

async function leftOf(limiter: ReturnType<typeof newLimiter>, key: string): Promise<number> {
  return (await limiter.peek(key)).remaining;
}

test('a caller with verified claims is counted by them, wherever the request comes from', async () => {
  const limiter = newLimiter();
  const check = gate(limiter, platform);
  await check({ claims: ada, peer: '192.0.2.7' });
  await check({ claims: ada, peer: '192.0.2.8', forwardedFor: '6.6.6.6' });
  expect(await leftOf(limiter, tokenKey(ada))).toBe(3);
  expect(await leftOf(limiter, addressKey('192.0.2.7'))).toBe(5);
});

test('a caller without them is counted by the address', async () => {
  const limiter = newLimiter();
  const check = gate(limiter, platform);
  for (const claims of [undefined, {}, { sub: 'ada' }, { iss: ada.iss, sub: 7 }]) await check({ claims });
  expect(await leftOf(limiter, addressKey('192.0.2.7'))).toBe(1);
});

test('a header names the caller only where a proxy is trusted', async () => {
  const limiter = newLimiter();
  await gate(limiter, platform)({ peer: '10.0.0.1', forwardedFor: '6.6.6.6' });
  expect(await leftOf(limiter, addressKey('10.0.0.1'))).toBe(4);
  await gate(limiter, platform, { trustProxies: 1 })({ peer: '10.0.0.1', forwardedFor: '9.9.9.9, 6.6.6.6' });
  expect(await leftOf(limiter, addressKey('6.6.6.6'))).toBe(4);
  expect(await leftOf(limiter, addressKey('9.9.9.9'))).toBe(5);
});

test('options name the key, the claims and the address in place of the platform', async () => {
  const limiter = newLimiter();
  await gate(limiter, platform, { key: () => 'tenant-1' })({ claims: ada });
  expect(await leftOf(limiter, 'tenant-1')).toBe(4);
  await gate(limiter, platform, { key: async () => undefined, claims: () => ada })({});
  expect(await leftOf(limiter, tokenKey(ada))).toBe(4);
  await gate(limiter, platform, { address: () => '192.0.2.9' })({});
  expect(await leftOf(limiter, addressKey('192.0.2.9'))).toBe(4);
});

test('a skipped request is let in, has no headers and counts nowhere', async () => {
  const limiter = newLimiter();
  const admission = await gate(limiter, platform, { skip: async () => true })({});
  expect(admission).toMatchObject({ headers: {} });
  expect(await leftOf(limiter, addressKey('192.0.2.7'))).toBe(5);
});

test('a request costs what the option says, for all or by the request', async () => {
  const limiter = newLimiter();
  await gate(limiter, platform, { cost: 2 })({});
  await gate(limiter, platform, { cost: async ({ size = 0 }) => size })({ size: 3 });
  expect(await leftOf(limiter, addressKey('192.0.2.7'))).toBe(0);
});

test('a plan is asked of the request', async () => {
  const limits = { free: 1, pro: 100 };
  const limiter = createLimiter({
    strategy: (plan: keyof typeof limits) => fixedWindow({ limit: limits[plan], windowMs: 60_000 }),
    clock,
  });
  const check = gate(limiter, platform, { for: async ({ claims }: Incoming) => (claims ? 'pro' : 'free') });
  expect(await check({ claims: ada })).toMatchObject({ headers: { RateLimit: '"default";r=99;t=60' } });
  expect(await check({})).toMatchObject({ headers: { RateLimit: '"default";r=0;t=60' } });
});

test('a response that does not count gives its cost back, once', async () => {
  const limiter = newLimiter();
  const check = gate<Incoming, { cached: boolean }, never>(limiter, platform, { countIf: ({ cached }) => !cached });
  for (const cached of [true, false]) {
    const admission = await check({});
    if (admission.refusal !== undefined) throw new Error('was to be let in');
    await admission.settle({ cached });
    await admission.settle({ cached });
  }
  expect(await leftOf(limiter, addressKey('192.0.2.7'))).toBe(4);
});

test('what fails after the response is told, and breaks nothing', async () => {
  const gone = new StoreUnavailableError('gone');
  const store = memory();
  store.giveBack = async () => {
    throw gone;
  };
  const limiter = createLimiter({ strategy: fixedWindow({ limit: 5, windowMs: 60_000 }), clock, store });
  const onError = vi.fn(() => {
    throw new Error('who listens fails as well');
  });
  const odd = new Error('odd');
  for (const countIf of [
    () => false,
    () => {
      throw odd;
    },
  ]) {
    const admission = await gate(limiter, platform, { countIf, onError })({});
    if (admission.refusal !== undefined) throw new Error('was to be let in');
    await admission.settle({});
  }
  expect(onError.mock.calls).toEqual([[gone], [odd]]);
});

test('headers are of the form that the option says, and without it of the limiter', async () => {
  const limiter = newLimiter();
  expect(await gate(limiter, platform, { headerFormat: 'legacy' })({})).toMatchObject({
    headers: { 'X-RateLimit-Remaining': '4' },
  });
  expect(await gate(limiter, platform)({})).toMatchObject({ headers: { RateLimit: '"default";r=3;t=60' } });
});

test('a limiter may keep its limits to itself: then a refusal tells when to come again, and nothing else', async () => {
  const check = gate(newLimiter(), platform, { headerFormat: 'none', cost: 5 });
  expect(await check({})).toMatchObject({ headers: {} });
  const { refusal } = await check({});
  expect(Object.keys(refusal?.headers ?? {})).toEqual(['Content-Type', 'Cache-Control', 'Retry-After']);
});

test('a refusal may be answered otherwise', async () => {
  const check = gate(newLimiter(), platform, {
    cost: 9,
    onRefused: async (refusal, { peer }) => ({ ...refusal, status: 413, body: `too much from ${peer}` }),
  });
  expect((await check({ peer: '192.0.2.7' })).refusal).toMatchObject({ status: 413, body: 'too much from 192.0.2.7' });
});

test('a refusal that is only listened to stays a refusal', async () => {
  const heard: number[] = [];
  const check = gate(newLimiter(), platform, {
    cost: 9,
    onRefused({ status }) {
      heard.push(status);
      return undefined;
    },
  });
  expect((await check({})).refusal).toMatchObject({ status: 400 });
  expect(heard).toEqual([400]);
});

test('a mistake of the options reaches the caller', async () => {
  await expect(gate(newLimiter(), platform, { cost: -1 })({})).rejects.toThrow('cost must be');
  await expect(gate(newLimiter(), platform, { key: () => '' })({})).rejects.toThrow('key must be');
  expect(() => gate(newLimiter(), platform, { trustProxies: -1 })).toThrow('trustProxies must be');
});

test('a form of the headers that does not exist is told when the gate is made', () => {
  const misspelt = JSON.parse('"draft-7"');
  expect(() => gate(newLimiter(), platform, { headerFormat: misspelt })).toThrow(
    new InvalidArgumentError('headerFormat must be one of draft-11, draft-6, legacy, none (was draft-7)'),
  );
});
