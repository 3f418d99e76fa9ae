import { describe, expect, test } from 'vitest';
import { virtualClock } from '../clock.ts';
import { InvalidArgumentError } from '../errors.ts';
import { createLimiter } from './limiter.ts';
import { memory } from './memory-store.ts';
import { tokenBucket } from './strategies/bucket.ts';
import { fixedWindow } from './strategies/window.ts';

const strategy = tokenBucket({ capacity: 10, refillPerSecond: 1 });
const clock = virtualClock('2026-11-30T12:00:00Z');

describe('an option outside its domain is told by its name', () => {
  test.each([
    ['options', null],
    ['name', { strategy, name: '' }],
    ['name', { strategy, name: 'a:b' }],
    ['name', { strategy, name: 'x'.repeat(65) }],
    ['strategy', {}],
    ['strategy', { strategy: {} }],
    ['strategy', { strategy: 'tokenBucket' }],
    ['strategy', { strategy: { 'a b': strategy } }],
    ['strategy', { strategy: { ['x'.repeat(33)]: strategy } }],
    ['strategy.burst', { strategy: { burst: { capacity: 10 } } }],
    ['strategy', { strategy: Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`p${i}`, strategy])) }],
    ['store', { strategy, store: {} }],
    ['store', { strategy, store: null }],
    ['insurance', { strategy, insurance: { take: () => {} } }],
    ['deadlineMs', { strategy, deadlineMs: 0 }],
    ['deadlineMs', { strategy, deadlineMs: Number.NaN }],
    ['failPolicy', { strategy, failPolicy: 'opened' }],
    ['mode', { strategy, mode: 'observed' }],
    ['headerFormat', { strategy, headerFormat: 'draft-7' }],
    ['onDecision', { strategy, onDecision: {} }],
    ['clock', { strategy, clock: 5 }],
    ['delay', { strategy, delay: 5 }],
  ])('%s of %j', (field, options) => {
    expect(() => createLimiter(options as never)).toThrow(InvalidArgumentError);
    expect(() => createLimiter(options as never)).toThrow(new RegExp(`^${field}\\b.* must`));
  });
});

test.each([0, 1.5, Number.NaN, '5'])('a memory of %s keys is told by its name', (maxKeys) => {
  expect(() => memory({ maxKeys: maxKeys as never })).toThrow(/^maxKeys must/);
});

const badCosts = [Number.NaN, -5, 1.5, '3', null, Number.POSITIVE_INFINITY, 2 ** 53, 3n, true, [1]];
const badKeys = [undefined, null, '', 5, {}, '\ud800', 'a\udc00b', ['a']];

describe('an argument outside its domain is told by its name, takes nothing, and asks no fail policy', () => {
  const make = () => {
    const store = memory();
    return createLimiter({
      strategy: fixedWindow({ limit: 10, windowMs: 60_000 }),
      store,
      clock,
      failPolicy: 'open',
      mode: 'observe',
    });
  };

  test.each(badCosts)('a cost of %s', async (cost) => {
    const limiter = make();
    for (const asked of [cost, { cost }] as never[]) {
      for (const ask of [
        () => limiter.check('key', asked),
        async () => limiter.checkSync('key', asked),
        () => limiter.peek('key', asked),
        () => limiter.charge('key', asked),
        () => limiter.waitUntilAllowed('key', { cost } as never),
        () => limiter.checkMany([{ key: 'key' }, { key: 'key', cost } as never]),
        () => limiter.checkAll([{ key: 'key' }, { key: 'key', cost } as never]),
      ]) {
        await expect(ask()).rejects.toThrow(InvalidArgumentError);
        await expect(ask()).rejects.toThrow(/^cost must/);
      }
    }
    expect((await limiter.peek('key')).remaining).toBe(10);
  });

  test.each(badKeys)('a key of %j', async (key) => {
    const limiter = make();
    const bad = key as never;
    for (const ask of [
      () => limiter.check(bad),
      async () => limiter.checkSync(bad),
      () => limiter.peek(bad),
      () => limiter.charge(bad),
      () => limiter.block(bad, 5),
      () => limiter.delete(bad),
      () => limiter.waitUntilAllowed(bad),
      () => limiter.checkMany([{ key: 'key' }, { key: bad }]),
      () => limiter.checkAll([{ key: 'key' }, { key: bad }]),
    ]) {
      await expect(ask()).rejects.toThrow(InvalidArgumentError);
      await expect(ask()).rejects.toThrow(/^key must/);
    }
    expect((await limiter.peek('key')).remaining).toBe(10);
  });

  test.each([Number.NaN, -1, '5', undefined])('a block for %s', async (forMs) => {
    const limiter = make();
    await expect(limiter.block('key', forMs as never)).rejects.toThrow(/^forMs must/);
    expect(await limiter.peek('key')).not.toHaveProperty('reason');
  });

  test.each([Number.NaN, -1, '5'])('a wait of at most %s', async (maxWaitMs) => {
    await expect(make().waitUntilAllowed('key', { maxWaitMs } as never)).rejects.toThrow(/^maxWaitMs must/);
  });

  test('lists that are none', async () => {
    const limiter = make();
    for (const requests of [undefined, 'key', {}] as never[]) {
      await expect(limiter.checkMany(requests)).rejects.toThrow(/^requests must/);
      await expect(limiter.checkAll(requests)).rejects.toThrow(/^requests must/);
    }
    await expect(limiter.checkAll([])).rejects.toThrow(/^requests must/);
    await expect(limiter.checkMany([null] as never)).rejects.toThrow(/^key must/);
    expect(await limiter.checkMany([])).toEqual([]);
  });

  test('a clock that tells no time', async () => {
    const limiter = createLimiter({ strategy, clock: () => Number.NaN });
    await expect(limiter.check('key')).rejects.toThrow(/^clock must/);
    expect(() => limiter.checkSync('key')).toThrow(/^clock must/);
  });
});

test('a clock of fractions counts in whole milliseconds', async () => {
  const limiter = createLimiter({ strategy: fixedWindow({ limit: 1, windowMs: 1000 }), clock: () => 5_000.75 });
  expect(await limiter.check('key')).toMatchObject({ allowed: true, resetsAt: 6000 });
});

test.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty'])('%s is a key like any other', async (key) => {
  const limiter = createLimiter({ strategy: fixedWindow({ limit: 1, windowMs: 1000 }), clock });
  expect(limiter.checkSync(key).allowed).toBe(true);
  expect(limiter.checkSync(key).allowed).toBe(false);
  await limiter.block(key, 1000);
  expect(limiter.checkSync(key).reason).toBe('blocked');
  await limiter.delete(key);
  expect(limiter.checkSync(key).allowed).toBe(true);
});

test('ten limits are as many as there may be', () => {
  const strategies = Object.fromEntries(Array.from({ length: 10 }, (_, i) => [`p${i}`, strategy]));
  expect(createLimiter({ strategy: strategies, clock }).checkSync('key').policies).toHaveLength(10);
});

test('a cost may be left out, be a number, or an option', async () => {
  const limiter = createLimiter({ strategy, clock });
  expect(await limiter.check('a')).toMatchObject({ cost: 1, remaining: 9 });
  expect(await limiter.check('a', undefined)).toMatchObject({ cost: 1, remaining: 8 });
  expect(await limiter.check('a', 2)).toMatchObject({ cost: 2, remaining: 6 });
  expect(await limiter.check('a', { cost: 3 })).toMatchObject({ cost: 3, remaining: 3 });
  expect(await limiter.check('a', {})).toMatchObject({ cost: 1, remaining: 2 });
});
