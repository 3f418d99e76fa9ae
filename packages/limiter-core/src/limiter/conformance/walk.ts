import { expect } from 'vitest';
import { type VirtualClock, virtualClock } from '../../clock.ts';
import { type Random, randomOf } from '../../testing/random.ts';
import type { Decision } from '../decision.ts';
import { createLimiter, type Limiter } from '../limiter.ts';
import { policiesOf, type Strategies } from '../policies.ts';
import type { Strategy } from '../strategies/strategy.ts';
import { ModelLimiter } from './model-limiter.ts';
import type { Scenario } from './scenarios.ts';
import type { MakeStore } from './store-under-test.ts';

/** A walk's length. */
export interface WalkOptions {
  readonly steps: number;
  /** Keys that are walked with at the same time, each in its own order: a slow store answers for all of them at once. */
  readonly keysAtOnce: number;
  readonly seed: number;
}

/** A decision of the store with the model's own, to refund both. */
type Twin = readonly [Decision, Decision];

/** A key that is walked with: its plan, and what may be refunded of it. */
interface WalkedKey {
  readonly key: string;
  plan: number;
  twins: Twin[];
  /** The last things that were done, for a failure's message. */
  readonly done: string[];
}

/**
 * Walks at random: in each round the clock moves, then something is done with each key, by the store and by the model, and
 * their decisions are the same to the last number.
 */
export async function walk(make: MakeStore, scenario: Scenario, options: WalkOptions): Promise<void> {
  const clock = virtualClock(scenario.start);
  const { store, close } = await make({ clock });
  try {
    const limiter = createLimiter<number>({ ...common(scenario, clock), store });
    const walker = new Walker(limiter, new ModelLimiter(clock), scenario, clock, randomOf(options.seed));
    const keys = Array.from({ length: options.keysAtOnce }, (_, i) => newKey(`key ${i}`));
    for (let step = 0; step < options.steps; step += keys.length) {
      walker.moveClock();
      await Promise.all(keys.map((key) => walker.step(key)));
    }
  } finally {
    await close?.();
  }
}

/** Options with which nothing but the store decides. */
function common({ name, plans }: Scenario, clock: VirtualClock) {
  return {
    name: name.replaceAll(' ', '-'),
    strategy: (plan: number): Strategies => plans[plan] ?? plans[0],
    clock,
    deadlineMs: 60_000,
    failPolicy: ({ error }: { readonly error: Error }): never => {
      throw error;
    },
  };
}

function newKey(key: string): WalkedKey {
  return { key, plan: 0, twins: [], done: [] };
}

class Walker {
  readonly #limiter: Limiter<number>;
  readonly #model: ModelLimiter;
  readonly #scenario: Scenario;
  readonly #clock: VirtualClock;
  readonly #random: Random;

  constructor(limiter: Limiter<number>, model: ModelLimiter, scenario: Scenario, clock: VirtualClock, random: Random) {
    this.#limiter = limiter;
    this.#model = model;
    this.#scenario = scenario;
    this.#clock = clock;
    this.#random = random;
  }

  /** Mostly on by a little, sometimes by much, to just around the turn of a window, or back a little. */
  moveClock(): void {
    const { stepMs, plans } = this.#scenario;
    const random = this.#random;
    const nowMs = this.#clock();
    const share = random.int(1, 100);
    if (share <= 30) return;
    if (share <= 60) this.#clock.advance(random.int(1, stepMs));
    else if (share <= 75) this.#clock.advance(stepMs);
    else if (share <= 80) this.#clock.advance(1);
    else if (share <= 85) this.#clock.advance(random.int(1, 10) * stepMs);
    else if (share <= 87) this.#clock.advance(random.int(20, 200) * stepMs);
    else if (share <= 90) this.#clock.advance(-random.int(1, Math.min(900, stepMs)));
    else {
      const strategies = strategiesOf(plans[0]);
      const { windowMs } = strategies[random.int(0, strategies.length - 1)] ?? { windowMs: stepMs };
      this.#clock.set((Math.floor(nowMs / windowMs) + 1) * windowMs + random.int(-1, 1));
    }
  }

  /** One thing done with a key. All of it that is random is drawn before the first answer is waited for. */
  async step(walked: WalkedKey): Promise<void> {
    const random = this.#random;
    const share = random.int(1, 100);
    if (this.#scenario.plans.length > 1 && random.chance(0.1)) {
      walked.plan = random.int(0, this.#scenario.plans.length - 1);
      walked.twins = [];
    }
    if (share <= 66) await this.#ask(walked, 'check', this.#cost());
    else if (share <= 72) await this.#ask(walked, 'peek', this.#cost());
    else if (share <= 75) await this.#ask(walked, 'charge', this.#cost());
    else if (share <= 94) await this.#refund(walked);
    else if (share <= 96) await this.#block(walked, random.pick([0, 1, this.#scenario.stepMs]));
    else if (share <= 97) await this.#delete(walked);
    else await this.#ask(walked, 'check', 0);
  }

  #cost(): number {
    const { maxCost, plans } = this.#scenario;
    const most = Math.min(...strategiesOf(plans[0]).map(({ limit }) => limit));
    const share = this.#random.int(1, 100);
    if (share <= 50) return 1;
    if (share <= 90) return this.#random.int(1, maxCost);
    return most + this.#random.int(-2, 1) || 1;
  }

  async #ask(walked: WalkedKey, how: 'check' | 'peek' | 'charge', cost: number): Promise<void> {
    const { key, plan } = walked;
    note(walked, this.#clock(), `${how} ${cost}${plan > 0 ? ` plan ${plan}` : ''}`);
    const want = this.#model[how](key, cost, this.#scenario.plans[plan] ?? this.#scenario.plans[0]);
    const got = await this.#limiter[how](key, { cost, for: plan });
    // The order of fields is the same as a rule, and text is compared faster.
    if (JSON.stringify(got) !== JSON.stringify(want)) {
      expect(got, `${key}: ${walked.done.join('; ')}`).toEqual(want);
    }
    if (how !== 'peek') walked.twins.push([got, want]);
  }

  /** Any decision of the last ones: new or late, allowed or refused, given back already or not. */
  async #refund(walked: WalkedKey): Promise<void> {
    const { twins } = walked;
    const twin = twins.at(-this.#random.int(1, Math.min(8, twins.length)));
    if (twin === undefined) return;
    const [got, want] = twin;
    note(walked, this.#clock(), `refund ${want.cost} of ${twins.indexOf(twin) - twins.length}`);
    this.#model.refund(want);
    await this.#limiter.refund(got);
  }

  async #block(walked: WalkedKey, forMs: number): Promise<void> {
    note(walked, this.#clock(), `block ${forMs}`);
    this.#model.block(walked.key, forMs);
    await this.#limiter.block(walked.key, forMs);
  }

  async #delete(walked: WalkedKey): Promise<void> {
    note(walked, this.#clock(), 'delete');
    walked.twins = [];
    this.#model.delete(walked.key);
    await this.#limiter.delete(walked.key);
  }
}

function strategiesOf(plan: Strategies): Strategy[] {
  return policiesOf(plan).map(({ strategy }) => strategy);
}

function note({ done }: WalkedKey, nowMs: number, what: string): void {
  done.push(`${nowMs} ${what}`);
  if (done.length > 30) done.shift();
}
