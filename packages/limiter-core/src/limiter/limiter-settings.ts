import { type Clock, systemClock } from '../clock.ts';
import { InvalidArgumentError } from '../errors.ts';
import { type Delay, systemDelay } from './delay.ts';
import { type HeaderFormat, headerFormats } from './headers.ts';
import type { FailPolicy, LimiterOptions } from './limiter-options.ts';
import { memory } from './memory-store.ts';
import { assertLimiterName, lasting, policiesOf, type Strategies } from './policies.ts';
import type { LimitStore, Policy } from './store.ts';
import { assertOneOf, assertPositive } from './strategies/assert.ts';
import { systemTimer, type Timer, timerOf } from './timer.ts';

/** A limiter's options as they are used: all of them there, and checked. */
export interface LimiterSettings {
  readonly name: string;
  readonly policiesFor: (plan: unknown) => readonly Policy[];
  readonly store: LimitStore;
  readonly insurance: LimitStore | undefined;
  readonly failPolicy: NonNullable<LimiterOptions<never>['failPolicy']>;
  readonly deadlineMs: number;
  readonly isObserving: boolean;
  readonly onDecision: LimiterOptions<never>['onDecision'];
  readonly headerFormat: HeaderFormat;
  readonly clock: Clock;
  readonly delay: Delay;
  /** The timer of deadlines: by the pauses that are given, or else the runtime's, which costs less by itself. */
  readonly timer: Timer;
}

const failPolicies: readonly FailPolicy[] = ['open', 'closed'];
const modes = ['enforce', 'observe'] as const;
const storeMethods = ['take', 'peek', 'charge', 'giveBack', 'block', 'delete'] as const;

/** @throws InvalidArgumentError that names the option and what was expected */
export function settingsOf<Plan>(options: LimiterOptions<Plan>): LimiterSettings {
  if (typeof options !== 'object' || options === null) throw new InvalidArgumentError('options must be an object');
  const { name = 'default', strategy, store = memory(), insurance, deadlineMs = 250 } = options;
  const { failPolicy = 'open', mode = 'enforce', headerFormat = 'draft-11', onDecision } = options;
  const { clock = systemClock, delay = systemDelay } = options;
  assertLimiterName(name);
  assertStore('store', store);
  if (insurance !== undefined) assertStore('insurance', insurance);
  assertPositive('deadlineMs', deadlineMs, Number.MAX_SAFE_INTEGER);
  if (typeof failPolicy !== 'function') assertOneOf('failPolicy', failPolicy, failPolicies);
  assertOneOf('mode', mode, modes);
  assertOneOf('headerFormat', headerFormat, headerFormats);
  assertFunction('clock', clock);
  assertFunction('delay', delay);
  if (onDecision !== undefined) assertFunction('onDecision', onDecision);
  return {
    name,
    policiesFor: policiesForOf(strategy),
    store,
    insurance,
    failPolicy,
    deadlineMs,
    isObserving: mode === 'observe',
    onDecision,
    headerFormat,
    clock,
    delay,
    timer: options.delay === undefined ? systemTimer : timerOf(delay),
  };
}

function policiesForOf(strategy: Strategies | ((plan: never) => Strategies)): (plan: unknown) => readonly Policy[] {
  if (typeof strategy !== 'function') {
    const policies = lasting(policiesOf(strategy));
    return () => policies;
  }
  // The type of a check's `for` is that of the function's plan.
  const strategyFor = strategy as (plan: unknown) => Strategies;
  return (plan) => policiesOf(strategyFor(plan));
}

function assertStore(option: string, store: unknown): void {
  const missing = storeMethods.find(
    (method) => typeof (store as Partial<Record<string, unknown>> | null)?.[method] !== 'function',
  );
  if (missing !== undefined) throw new InvalidArgumentError(`${option} must be a store, with a method ${missing}`);
}

function assertFunction(option: string, value: unknown): void {
  if (typeof value !== 'function') throw new InvalidArgumentError(`${option} must be a function (was ${typeof value})`);
}
