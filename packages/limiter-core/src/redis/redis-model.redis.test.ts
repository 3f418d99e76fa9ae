import { type Redis as RedisServer, startRedis } from '@usher/loopback/testing';
import fc from 'fast-check';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type VirtualClock, virtualClock } from '../clock.ts';
import { memory } from '../limiter/memory-store.ts';
import type { LimitStore, Limits, Policy, Seen } from '../limiter/store.ts';
import { gcra, tokenBucket } from '../limiter/strategies/bucket.ts';
import { slidingWindow } from '../limiter/strategies/sliding-window.ts';
import type { State, Strategy } from '../limiter/strategies/strategy.ts';
import { calendarWindow, fixedWindow } from '../limiter/strategies/window.ts';
import { ioRedis, redis } from './index.ts';

let server: RedisServer;
let client: Redis;

beforeAll(async () => {
  server = await startRedis();
  client = new Redis(server.url);
});

afterAll(async () => {
  await client.quit();
  await server.stop();
});

/** Rules that a deploy may put under one name, one after the other. */
const strategies: readonly Strategy[] = [
  tokenBucket({ capacity: 10, refillPerSecond: 5 }),
  tokenBucket({ capacity: 3, refillPerSecond: 1000 / 7 }),
  tokenBucket({ capacity: 40, refillPerSecond: 5 }),
  gcra({ limit: 7, periodMs: 60_000, burst: 2 }),
  fixedWindow({ limit: 10, windowMs: 1_000 }),
  fixedWindow({ limit: 25, windowMs: 7_001 }),
  slidingWindow({ limit: 10, windowMs: 1_000 }),
  slidingWindow({ limit: 30, windowMs: 999 }),
  calendarWindow({ limit: 12, unit: 'day', timezone: 'Europe/Berlin' }),
  calendarWindow({ limit: 12, unit: 'month' }),
];

/** Names with the ids of their strategies, so that a counterexample can be read. */
type Plan = readonly (readonly [name: string, id: string])[];

function plansOf(names: readonly string[]): fc.Arbitrary<Plan> {
  return fc.uniqueArray(fc.tuple(fc.constantFrom(...names), fc.constantFrom(...strategies.map(({ id }) => id))), {
    selector: ([name]) => name,
    minLength: 1,
    maxLength: names.length,
  });
}

function policiesOf(plan: Plan): Policy[] {
  return plan.flatMap(([name, id]) =>
    strategies.filter((strategy) => strategy.id === id).map((strategy) => ({ name, strategy })),
  );
}

/** Small steps meet one window, long ones leave it. */
const passing = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 400 }) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 5_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 100_000_000 }) },
);

/** A clock that is put right, by more than what counts as a skew at times. */
const correction = fc.integer({ min: -90_000, max: -1 });

const smallCost = fc.integer({ min: 0, max: 12 });

/** Costs whose sums no longer fit 32 bits, or the whole numbers of a double. */
const anyCost = fc.oneof(smallCost, fc.constantFrom(2 ** 31 - 1, 2 ** 31, 2 ** 53 - 1), fc.maxSafeNat());

type Step = { readonly do: 'take' | 'charge' | 'giveBack' | 'peek' | 'block' | 'delete' | 'deploy' } & {
  readonly cost: number;
  readonly ms: number;
  readonly plan: Plan;
  readonly pick: number;
};

interface Arbitraries {
  readonly actions: readonly Step['do'][];
  readonly ms: fc.Arbitrary<number>;
  readonly cost?: fc.Arbitrary<number>;
  readonly names?: readonly string[];
}

function stepsOf({ actions, ms, cost = smallCost, names = ['a', 'b', 'c'] }: Arbitraries) {
  const step = fc.record({
    do: fc.constantFrom(...actions),
    cost,
    ms,
    plan: plansOf(names),
    pick: fc.nat(),
  });
  const startMs = fc.constantFrom(1_700_000_000_000, 1_711_846_799_500, 86_399_999_000);
  return fc.record({ startMs, steps: fc.array(step, { minLength: 1, maxLength: 80 }) });
}

/** Two stores that must agree, with the takes that both have made. */
class Pair {
  readonly #clock: VirtualClock;
  readonly #model: LimitStore = memory();
  readonly #store: LimitStore;
  readonly #key: string;
  readonly #takes: {
    readonly policies: readonly Policy[];
    readonly cost: number;
    readonly states: readonly State[];
  }[] = [];
  #policies: readonly Policy[] = [];

  constructor(startMs: number, key: string) {
    this.#clock = virtualClock(startMs);
    this.#store = redis({ client: ioRedis(client), clock: this.#clock });
    this.#key = key;
  }

  async run(step: Step): Promise<void> {
    if (this.#policies.length === 0 || step.do === 'deploy') this.#policies = policiesOf(step.plan);
    this.#clock.advance(step.ms);
    await this.#act(step);
    const limits = this.#limits();
    expectSame(await this.#store.peek(limits), await this.#model.peek(limits));
  }

  async #act({ do: action, cost, ms, pick }: Step): Promise<void> {
    const limits = this.#limits();
    if (action === 'take') {
      const [expected, answer] = [await this.#model.take(limits, cost), await this.#store.take(limits, cost)];
      expect(answer.taken).toBe(expected.taken);
      expectSame(answer, expected);
      const states = expected.states.filter((state) => state !== undefined);
      if (expected.taken) this.#takes.push({ policies: limits.policies, cost, states });
    } else if (action === 'charge') {
      const many = cost * (1 + (pick % 3));
      const [expected, answer] = [await this.#model.charge(limits, many), await this.#store.charge(limits, many)];
      expectSame(answer, expected);
    } else if (action === 'giveBack') {
      const [take] = this.#takes.splice(pick % Math.max(1, this.#takes.length), 1);
      if (take === undefined) return;
      // As the limiter does it: with the policies of then. At times with those of now, whatever the states are of.
      const policies = pick % 4 === 0 ? limits.policies : take.policies;
      const states = policies.map((_, i) => take.states[i % take.states.length]).filter((state) => state !== undefined);
      for (const store of this.#both()) await store.giveBack({ ...limits, policies }, take.cost, states);
    } else if (action === 'block') {
      for (const store of this.#both()) await store.block(limits, limits.nowMs + (pick % 5 === 0 ? 0 : ms * 3));
    } else if (action === 'delete') {
      for (const store of this.#both()) await store.delete(limits);
    }
  }

  #both(): readonly LimitStore[] {
    return [this.#model, this.#store];
  }

  #limits(): Limits {
    return { limiter: 'model', key: this.#key, policies: this.#policies, nowMs: this.#clock() };
  }
}

/** A block that has ended is as good as none, and a state that is not told as one that is absent. */
function expectSame(answer: Seen, expected: Seen): void {
  const [told, model] = [answer, expected].map(({ states, blockedUntilMs, nowMs }) => ({
    states: Array.from({ length: Math.max(answer.states.length, expected.states.length) }, (_, i) => states[i]),
    blockedUntilMs: blockedUntilMs > nowMs ? blockedUntilMs : 0,
    nowMs,
  }));
  expect(told).toEqual(model);
}

let runs = 0;

async function agree({ startMs, steps }: { readonly startMs: number; readonly steps: readonly Step[] }): Promise<void> {
  const pair = new Pair(startMs, `run ${++runs}`);
  for (const step of steps) await pair.run(step);
}

test('Redis keeps the very states that memory keeps, whatever happens to a key', async () => {
  const steps = stepsOf({
    actions: ['take', 'take', 'take', 'charge', 'giveBack', 'giveBack', 'peek', 'block', 'delete', 'deploy'],
    ms: passing,
  });
  await fc.assert(fc.asyncProperty(steps, agree), { numRuns: 300 });
});

test('it does so, too, with as many limits as a key can have, and costs that sum up beyond whole numbers', async () => {
  const steps = stepsOf({
    actions: ['take', 'take', 'charge', 'charge', 'giveBack', 'peek', 'deploy'],
    ms: passing,
    cost: anyCost,
    names: [...'abcdefghij'],
  });
  await fc.assert(fc.asyncProperty(steps, agree), { numRuns: 150 });
});

test('it does so, too, where the clock is put back', async () => {
  // Memory forgets a block once it has ended, and a clock that is put back does not bring it again.
  const steps = stepsOf({
    actions: ['take', 'take', 'charge', 'giveBack', 'peek', 'deploy'],
    ms: fc.oneof({ weight: 4, arbitrary: passing }, { weight: 1, arbitrary: correction }),
  });
  await fc.assert(fc.asyncProperty(steps, agree), { numRuns: 300 });
});
