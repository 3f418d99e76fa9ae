import type { Strategies } from '../policies.ts';
import { gcra, tokenBucket } from '../strategies/bucket.ts';
import { slidingWindow } from '../strategies/sliding-window.ts';
import { calendarWindow, fixedWindow } from '../strategies/window.ts';

/** A strategy to walk with, and the numbers that make the walk meet its edges. */
export interface Scenario {
  readonly name: string;
  readonly start: string;
  /** The strategies of each plan; one plan where limits never change. */
  readonly plans: readonly [Strategies, ...Strategies[]];
  /** A step that matters to it: the time in which a cost refills, a part of a window. */
  readonly stepMs: number;
  /** The largest cost that a check asks for, as a rule. */
  readonly maxCost: number;
}

const second = 1000;
const hour = 3_600 * second;

/** Every strategy, with numbers that are easy and numbers that are not. */
export const scenarios: readonly Scenario[] = [
  {
    name: 'a token bucket of a whole rate',
    start: '2026-11-30T12:00:00Z',
    plans: [tokenBucket({ capacity: 10, refillPerSecond: 5 })],
    stepMs: 200,
    maxCost: 6,
  },
  {
    name: 'a token bucket of an awkward rate',
    start: '2026-11-30T12:00:00.123Z',
    plans: [tokenBucket({ capacity: 7, refillPerSecond: Math.PI })],
    stepMs: 318,
    maxCost: 4,
  },
  {
    name: 'a bucket of many and large costs',
    start: '2026-11-30T12:00:00Z',
    plans: [tokenBucket({ capacity: 100_000, refillPerSecond: 1_666.6 })],
    stepMs: 7_000,
    maxCost: 60_000,
  },
  {
    name: 'the generic cell rate algorithm with a burst of its own',
    start: '2026-11-30T12:00:00Z',
    plans: [gcra({ limit: 3, periodMs: second, burst: 2 })],
    stepMs: 167,
    maxCost: 2,
  },
  {
    name: 'a fixed window',
    start: '2026-11-30T12:00:00Z',
    plans: [fixedWindow({ limit: 8, windowMs: second })],
    stepMs: 150,
    maxCost: 4,
  },
  {
    name: 'a sliding window of a small limit',
    start: '2026-11-30T12:00:00Z',
    plans: [slidingWindow({ limit: 8, windowMs: second })],
    stepMs: 130,
    maxCost: 3,
  },
  {
    name: 'a sliding window of a large limit',
    start: '2026-11-30T12:00:00Z',
    plans: [slidingWindow({ limit: 10_007, windowMs: 60 * second })],
    stepMs: 3_001,
    maxCost: 4_000,
  },
  {
    name: 'the days of a zone whose clocks change at midnight',
    start: '2018-11-02T12:00:00Z',
    plans: [calendarWindow({ limit: 20, unit: 'day', timezone: 'America/Sao_Paulo' })],
    stepMs: hour / 4,
    maxCost: 9,
  },
  {
    name: 'several limits at once',
    start: '2026-03-27T22:00:00Z',
    plans: [
      {
        burst: tokenBucket({ capacity: 5, refillPerSecond: 0.25 }),
        minute: slidingWindow({ limit: 9, windowMs: 60 * second }),
        day: calendarWindow({ limit: 200, unit: 'day', timezone: 'Europe/Berlin' }),
      },
    ],
    stepMs: 4 * second,
    maxCost: 3,
  },
  {
    name: 'limits that change with the plan',
    start: '2026-11-30T12:00:00Z',
    plans: [
      { burst: tokenBucket({ capacity: 4, refillPerSecond: 7 }), second: fixedWindow({ limit: 6, windowMs: second }) },
      { burst: tokenBucket({ capacity: 9, refillPerSecond: 5 }), second: fixedWindow({ limit: 12, windowMs: second }) },
      { burst: tokenBucket({ capacity: 6, refillPerSecond: 5 }), second: fixedWindow({ limit: 9, windowMs: second }) },
    ],
    stepMs: 120,
    maxCost: 3,
  },
];
