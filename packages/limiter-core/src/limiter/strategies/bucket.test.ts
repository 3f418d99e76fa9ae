import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { InvalidArgumentError } from '../../errors.ts';
import { type Bucket, type BucketState, gcra, isFromAhead, maxClockSkewMs, tokenBucket } from './bucket.ts';
import { slidingWindow } from './sliding-window.ts';
import { fixedWindow } from './window.ts';

const start = 1_764_504_000_000;

/** Small buckets at rates with easy and with awkward ratios, so that a history meets their edges often. */
const buckets: fc.Arbitrary<Bucket> = fc
  .record({
    capacity: fc.integer({ min: 1, max: 12 }),
    refillPerSecond: fc.constantFrom(1, 3, 5, 7, 0.1, 1 / 3, Math.PI, 1000, 999.5, 1_000_000),
  })
  .map(tokenBucket);

/** Times around that in which a unit of cost refills. */
const elapsed = fc.oneof(
  { weight: 3, arbitrary: fc.constant(0) },
  { weight: 2, arbitrary: fc.double({ min: 0, max: 1, noNaN: true }) },
  { weight: 1, arbitrary: fc.double({ min: 0, max: 20, noNaN: true }) },
);

interface Act {
  readonly elapsed: number;
  readonly cost: number;
  readonly refund?: number | undefined;
}

const act: fc.Arbitrary<Act> = fc.record({
  elapsed,
  cost: fc.integer({ min: 1, max: 12 }),
  refund: fc.option(fc.nat({ max: 6 }), { nil: undefined, freq: 2 }),
});

interface Taken {
  readonly atMs: number;
  readonly cost: number;
  readonly state: BucketState;
  refunded: boolean;
}

/** Takes whatever fits and gives back whatever is asked for, in any order. `look` is told of each take. */
function live(bucket: Bucket, acts: readonly Act[], look: (takes: readonly Taken[]) => void): void {
  const takes: Taken[] = [];
  let stored: BucketState | undefined;
  let nowMs = start;
  for (const { elapsed: share, cost, refund } of acts) {
    nowMs += Math.round((share * bucket.ticksPerCost) / bucket.ticksPerMs);
    const current = bucket.current(stored, nowMs);
    const taken = refund === undefined ? undefined : takes.at(-1 - refund);
    if (taken !== undefined && !taken.refunded) {
      taken.refunded = true;
      stored = bucket.giveBack(current, nowMs, taken.cost, taken.state);
    } else if (cost <= bucket.remaining(current, nowMs)) {
      stored = bucket.take(current, nowMs, cost);
      takes.push({ atMs: nowMs, cost, state: stored, refunded: false });
      look(takes);
    }
  }
}

/** The promise, by brute force and in whole ticks: no span up to the last take holds more than the capacity and its refill. */
function expectPromise({ limit, ticksPerMs, ticksPerCost }: Bucket, takes: readonly Taken[]): void {
  const last = takes.at(-1);
  if (last === undefined) return;
  let ticks = 0;
  for (const { atMs, cost, refunded } of takes.toReversed()) {
    if (refunded) continue;
    ticks += cost * ticksPerCost;
    expect(ticks).toBeLessThanOrEqual(limit * ticksPerCost + (last.atMs - atMs) * ticksPerMs);
  }
}

const histories = fc.array(act, { minLength: 1, maxLength: 40 });

describe('the promise', () => {
  test('no span holds more than the capacity and what refilled in it', () => {
    fc.assert(
      fc.property(buckets, histories, (bucket, acts) => {
        const only = acts.map(({ elapsed: share, cost }) => ({ elapsed: share, cost }));
        live(bucket, only, (takes) => expectPromise(bucket, takes));
      }),
      { numRuns: 500 },
    );
  });

  test('it holds as if what was given back had never been taken, whatever is given back, and when', () => {
    fc.assert(
      fc.property(buckets, histories, (bucket, acts) => live(bucket, acts, (takes) => expectPromise(bucket, takes))),
      { numRuns: 5000 },
    );
  });

  test('a refusal is right: one more would have broken it', () => {
    fc.assert(
      fc.property(buckets, fc.array(elapsed, { minLength: 1, maxLength: 60 }), (bucket, shares) => {
        const takes: Taken[] = [];
        let stored: BucketState | undefined;
        let nowMs = start;
        for (const share of shares) {
          nowMs += Math.round((share * bucket.ticksPerCost) / bucket.ticksPerMs);
          const current = bucket.current(stored, nowMs);
          const state = bucket.take(current, nowMs, 1);
          const taken = { atMs: nowMs, cost: 1, state, refunded: false };
          if (bucket.remaining(current, nowMs) >= 1) {
            stored = state;
            takes.push(taken);
          } else expect(() => expectPromise(bucket, [...takes, taken])).toThrow();
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('a refund', () => {
  const bucket = tokenBucket({ capacity: 10, refillPerSecond: 1 });
  const takeAt = (stored: BucketState | undefined, nowMs: number, cost: number): BucketState =>
    bucket.take(bucket.current(stored, nowMs), nowMs, cost);
  const giveBackAt = (stored: BucketState, nowMs: number, cost: number, taken: BucketState): BucketState =>
    bucket.giveBack(bucket.current(stored, nowMs), nowMs, cost, taken);
  const levelAt = (stored: BucketState, nowMs: number): number =>
    bucket.remaining(bucket.current(stored, nowMs), nowMs);

  // Out of a full bucket, an earlier cost of which a later one was given back before, but not the latest, is not known to
  // be unspent: less is given back then.
  test.each([
    [[0, 1, 2], 10],
    [[2, 1, 0], 10],
    [[2, 0, 1], 10],
    [[0, 2, 1], 10],
    [[1, 2, 0], 8],
    [[1, 0, 2], 8],
  ])('of three costs at once in the order %j leaves %d of 10', (order, level) => {
    const first = takeAt(undefined, start, 2);
    const second = takeAt(first, start, 3);
    const third = takeAt(second, start, 4);
    const costs = [2, 3, 4];
    const takes = [first, second, third];
    const stored = order.reduce((state, i) => giveBackAt(state, start, costs[i] ?? 0, takes[i] ?? first), third);
    expect(levelAt(stored, start)).toBe(level);
  });

  test('of a bucket in which much is taken gives all of a cost back, also later', () => {
    const first = takeAt(undefined, start, 6);
    const second = takeAt(first, start, 3);
    const third = takeAt(second, start + 4000, 2);
    expect(levelAt(third, start + 4000)).toBe(3);
    expect(levelAt(giveBackAt(third, start + 4000, 3, second), start + 4000)).toBe(6);
  });

  test('gives back nothing once the bucket has been full', () => {
    const first = takeAt(undefined, start, 4);
    const second = takeAt(first, start + 5000, 4);
    expect(giveBackAt(second, start + 5000, 4, first)).toBe(second);
  });

  test('that changes nothing is the state itself, for a store to leave alone', () => {
    const state = takeAt(undefined, start, 4);
    const window = fixedWindow({ limit: 1, windowMs: 1000 });
    const counted = window.take(window.current(undefined, start), start, 1);
    const other = tokenBucket({ capacity: 10, refillPerSecond: 2 });
    const otherState = other.take(other.current(undefined, start), start, 4);
    const current = bucket.current(state, start);
    for (const taken of [counted, otherState]) expect(bucket.giveBack(current, start, 4, taken)).toBe(current);
    const more = takeAt(state, start + 3000, 5);
    expect(bucket.giveBack(more, start + 4000, 4, state)).toBe(more);
  });

  test('never fills a bucket above full, even where it is given twice', () => {
    const state = takeAt(undefined, start, 4);
    const once = giveBackAt(state, start, 4, state);
    expect(levelAt(once, start)).toBe(10);
    const twice = giveBackAt(once, start, 4, state);
    expect(levelAt(twice, start)).toBe(10);
    expect(twice.tat).toBeGreaterThanOrEqual(start * bucket.ticksPerMs);
  });
});

describe('instants', () => {
  const lived = fc.tuple(buckets, histories).map(([bucket, acts]) => {
    let [state, nowMs] = [bucket.current(undefined, start), start];
    live(bucket, acts, (takes) => {
      const last = takes.at(-1);
      if (last !== undefined) [state, nowMs] = [last.state, last.atMs];
    });
    return { bucket, state, nowMs };
  });

  test('a cost fits from the instant that is told, and not a millisecond before', () => {
    fc.assert(
      fc.property(lived, fc.nat(), ({ bucket, state, nowMs }, seed) => {
        const cost = 1 + (seed % bucket.limit);
        const fitsAtMs = bucket.fitsAtMs(state, nowMs, cost);
        const fitsAt = (ms: number): boolean => bucket.remaining(bucket.current(state, ms), ms) >= cost;
        expect(fitsAtMs).toBeGreaterThanOrEqual(nowMs);
        expect(fitsAt(fitsAtMs)).toBe(true);
        if (fitsAtMs > nowMs) expect(fitsAt(fitsAtMs - 1)).toBe(false);
      }),
      { numRuns: 1000 },
    );
  });

  test('a bucket is full from the instant that is told, and not a millisecond before', () => {
    fc.assert(
      fc.property(lived, ({ bucket, state, nowMs }) => {
        const fullAtMs = bucket.fullAtMs(state, nowMs);
        expect(bucket.current(state, fullAtMs + 1).tat).toBe((fullAtMs + 1) * bucket.ticksPerMs);
        if (fullAtMs > nowMs) {
          expect(bucket.current(state, fullAtMs - 1).tat).toBeGreaterThan((fullAtMs - 1) * bucket.ticksPerMs);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test('an empty bucket of the longest fill is told to the millisecond', () => {
    const slow = tokenBucket({ capacity: 1000, refillPerSecond: 1e-6 });
    const empty = slow.take(slow.current(undefined, start), start, 1000);
    expect(slow.fullAtMs(empty, start)).toBe(start + 1_000_000_000_000);
    expect(slow.remaining(empty, start + 999_999_999)).toBe(0);
    expect(slow.remaining(empty, start + 1_000_000_000)).toBe(1);
  });
});

describe('another state', () => {
  const bucket = tokenBucket({ capacity: 10, refillPerSecond: 7 });

  test('one of another rule, or none, is a full bucket', () => {
    const sliding = slidingWindow({ limit: 5, windowMs: 1000 });
    for (const stored of [undefined, sliding.take(sliding.current(undefined, start), start, 5)]) {
      expect(bucket.remaining(bucket.current(stored, start), start)).toBe(10);
    }
  });

  test('one of another rate owes the same cost, rounded up by less than a tick', () => {
    fc.assert(
      fc.property(
        buckets,
        buckets,
        fc.integer({ min: 1, max: 12 }),
        fc.nat({ max: 3000 }),
        (from, to, cost, waitMs) => {
          const stored = from.take(from.current(undefined, start), start, cost);
          const nowMs = start + waitMs;
          const owedBefore = BigInt(Math.max(0, stored.tat - nowMs * from.ticksPerMs)) * BigInt(to.ticksPerCost);
          const current = to.current(stored, nowMs);
          const owed = BigInt(current.tat - nowMs * to.ticksPerMs) * BigInt(from.ticksPerCost);
          const isSame = from.ticksPerMs === to.ticksPerMs && from.ticksPerCost === to.ticksPerCost;
          expect(owed).toBeGreaterThanOrEqual(owedBefore);
          expect(owed - owedBefore).toBeLessThan(isSame ? 1n : BigInt(from.ticksPerCost));
        },
      ),
      { numRuns: 1000 },
    );
  });

  test('one that a clock further ahead than the skew began is an empty bucket', () => {
    const ahead = (aheadMs: number): BucketState => {
      const atMs = start + aheadMs;
      return bucket.take(bucket.current(undefined, atMs), atMs, 1);
    };
    expect(isFromAhead(ahead(maxClockSkewMs), start)).toBe(false);
    expect(isFromAhead(ahead(maxClockSkewMs + 1), start)).toBe(true);
    expect(bucket.remaining(bucket.current(ahead(maxClockSkewMs + 1), start), start)).toBe(0);
    const mended = bucket.current(ahead(maxClockSkewMs + 1), start);
    expect(isFromAhead(mended, start)).toBe(false);
    expect(bucket.fullAtMs(mended, start)).toBe(start + Math.ceil(10_000 / 7));
  });
});

describe('making one', () => {
  test('equal buckets have equal ids, and others have not', () => {
    const ids = [
      tokenBucket({ capacity: 10, refillPerSecond: 5 }),
      gcra({ limit: 5, periodMs: 1000, burst: 10 }),
      tokenBucket({ capacity: 11, refillPerSecond: 5 }),
      tokenBucket({ capacity: 10, refillPerSecond: 6 }),
    ].map(({ id }) => id);
    expect(ids[0]).toBe(ids[1]);
    expect(new Set(ids).size).toBe(3);
  });

  test('the generic cell rate algorithm bursts by its limit where nothing else is said', () => {
    expect(gcra({ limit: 3, periodMs: 1000 })).toMatchObject({ limit: 3, windowMs: 1000, ticksPerMs: 3 });
    expect(gcra({ limit: 3, periodMs: 1000, burst: 6 })).toMatchObject({ limit: 6, windowMs: 2000 });
    expect(gcra({ limit: 3, periodMs: 1000, burst: 2 }).windowMs).toBe(667);
  });

  test.each([
    ['capacity', { capacity: 0, refillPerSecond: 1 }],
    ['capacity', { capacity: 1.5, refillPerSecond: 1 }],
    ['capacity', { capacity: Number.NaN, refillPerSecond: 1 }],
    ['capacity', { capacity: '3', refillPerSecond: 1 }],
    ['capacity', { capacity: 2 ** 53, refillPerSecond: 1 }],
    ['capacity', { capacity: 1001, refillPerSecond: 1e-6 }],
    ['refillPerSecond', { capacity: 1, refillPerSecond: 0 }],
    ['refillPerSecond', { capacity: 1, refillPerSecond: -1 }],
    ['refillPerSecond', { capacity: 1, refillPerSecond: Number.NaN }],
    ['refillPerSecond', { capacity: 1, refillPerSecond: '1' }],
    ['refillPerSecond', { capacity: 1, refillPerSecond: 1_000_001 }],
    ['refillPerSecond', { capacity: 1 }],
  ])('a wrong %s is told by its name: %j', (field, options) => {
    expect(() => tokenBucket(options as never)).toThrow(InvalidArgumentError);
    expect(() => tokenBucket(options as never)).toThrow(new RegExp(`^${field} must`));
  });

  test.each([
    ['limit', { limit: 0, periodMs: 1000 }],
    ['periodMs', { limit: 1, periodMs: 0.5 }],
    ['burst', { limit: 1, periodMs: 1000, burst: 0 }],
    ['burst', { limit: 1, periodMs: 1_000_000_000, burst: 1001 }],
    ['limit / periodMs', { limit: 1001, periodMs: 1 }],
  ])('so is a wrong %s of a rate: %j', (field, options) => {
    expect(() => gcra(options)).toThrow(InvalidArgumentError);
    expect(() => gcra(options)).toThrow(new RegExp(`^${field} must`));
  });
});
