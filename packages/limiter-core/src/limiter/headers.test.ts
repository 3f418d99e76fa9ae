import { describe, expect, test } from 'vitest';
import { virtualClock } from '../clock.ts';
import type { Decision } from './decision.ts';
import { headerFormats, rateLimitHeaders } from './headers.ts';
import { createLimiter } from './limiter.ts';
import { gcra, tokenBucket } from './strategies/bucket.ts';
import { calendarWindow, fixedWindow } from './strategies/window.ts';

const noon = Date.parse('2026-03-10T12:00:00Z');

function decided(changes: Partial<Decision>): Decision {
  return {
    allowed: true,
    key: 'ada',
    cost: 1,
    limit: 100,
    remaining: 50,
    retryAfterMs: 0,
    resetsAt: noon + 30_000,
    policies: [
      { name: 'burst', limit: 100, remaining: 50, windowMs: 60_000, retryAfterMs: 0, resetsAt: noon + 30_000 },
      { name: 'day', limit: 1000, remaining: 900, windowMs: 86_400_000, retryAfterMs: 0, resetsAt: noon + 43_200_000 },
    ],
    degraded: false,
    ...changes,
  };
}

describe('an allowed decision', () => {
  test('tells every limit as structured fields in draft-11', () => {
    expect(rateLimitHeaders(decided({}), { format: 'draft-11', nowMs: noon })).toEqual({
      'RateLimit-Policy': '"burst";q=100;w=60,"day";q=1000;w=86400',
      RateLimit: '"burst";r=50;t=30,"day";r=900;t=43200',
    });
  });

  test('tells the limit that is nearest to refuse, and every policy, in draft-6', () => {
    expect(rateLimitHeaders(decided({}), { format: 'draft-6', nowMs: noon })).toEqual({
      'RateLimit-Policy': '100;w=60,1000;w=86400',
      'RateLimit-Limit': '100',
      'RateLimit-Remaining': '50',
      'RateLimit-Reset': '30',
    });
  });

  test('tells the reset as seconds since the Unix epoch in the legacy form', () => {
    expect(rateLimitHeaders(decided({ resetsAt: noon + 30_001 }), { format: 'legacy', nowMs: noon })).toEqual({
      'X-RateLimit-Limit': '100',
      'X-RateLimit-Remaining': '50',
      'X-RateLimit-Reset': String(noon / 1000 + 31),
    });
  });

  test('counts seconds from the response, not from the decision, and never below 0', () => {
    const at = (nowMs: number) => rateLimitHeaders(decided({}), { format: 'draft-6', nowMs })['RateLimit-Reset'];
    expect([at(noon), at(noon + 1), at(noon + 29_001), at(noon + 30_000), at(noon + 99_000)]).toEqual([
      '30',
      '30',
      '1',
      '0',
      '0',
    ]);
  });

  test('that the fail policy made tells nothing: no state is known', () => {
    const degraded = decided({ reason: 'unavailable', policies: [], degraded: true });
    for (const format of headerFormats) expect(rateLimitHeaders(degraded, { format, nowMs: noon })).toEqual({});
  });
});

describe('a refusal', () => {
  const refused = decided({ allowed: false, reason: 'limited', remaining: 0, retryAfterMs: 1200 });

  test.each(headerFormats)('has a Retry-After of whole seconds, rounded up, in %s', (format) => {
    expect(rateLimitHeaders(refused, { format, nowMs: noon })['Retry-After']).toBe('2');
  });

  test('tells no reset that is later than its Retry-After', () => {
    expect(rateLimitHeaders(refused, { format: 'draft-11', nowMs: noon }).RateLimit).toBe(
      '"burst";r=50;t=2,"day";r=900;t=2',
    );
    expect(rateLimitHeaders(refused, { format: 'draft-6', nowMs: noon })['RateLimit-Reset']).toBe('2');
    expect(rateLimitHeaders(refused, { format: 'legacy', nowMs: noon })['X-RateLimit-Reset']).toBe(
      String(noon / 1000 + 2),
    );
  });

  test('that no wait helps has no Retry-After', () => {
    const never = decided({ allowed: false, reason: 'never', policies: [], retryAfterMs: 0 });
    for (const format of headerFormats) expect(rateLimitHeaders(never, { format, nowMs: noon })).toEqual({});
  });

  test('without state has a Retry-After and no limits', () => {
    const overloaded = decided({ allowed: false, reason: 'overloaded', policies: [], retryAfterMs: 1000 });
    for (const format of headerFormats) {
      expect(rateLimitHeaders(overloaded, { format, nowMs: noon })).toEqual({ 'Retry-After': '1' });
    }
  });

  test('for a block has a Retry-After, unless the block has no end', async () => {
    const limiter = createLimiter({ strategy: fixedWindow({ limit: 5, windowMs: 60_000 }), clock: virtualClock(noon) });
    await limiter.block('ada', 90_000);
    expect(limiter.headers(await limiter.check('ada'))).toMatchObject({ 'Retry-After': '90' });
    await limiter.block('ada', Number.POSITIVE_INFINITY);
    expect(limiter.headers(await limiter.check('ada'))).not.toHaveProperty('Retry-After');
  });
});

test('numbers stay within what a structured field can hold: none is negative, none has more than 15 digits', () => {
  const [policy] = decided({}).policies;
  if (policy === undefined) throw new Error('the decision has policies');
  const policies = [{ ...policy, limit: Number.MAX_SAFE_INTEGER, remaining: -7, windowMs: 1 }];
  expect(rateLimitHeaders(decided({ policies }), { format: 'draft-11', nowMs: noon })).toEqual({
    'RateLimit-Policy': '"burst";q=999999999999999;w=1',
    RateLimit: '"burst";r=0;t=30',
  });
});

describe("a limiter's own headers", () => {
  test.each(headerFormats)('of form %s tell numbers in digits, however much is owed', async (format) => {
    const strategy = gcra({ limit: 1, periodMs: 1_000_000_000_000 });
    const limiter = createLimiter({ strategy, clock: virtualClock(noon) });
    await limiter.charge('ada', Number.MAX_SAFE_INTEGER);
    const headers = limiter.headers(await limiter.check('ada'), format);
    expect(headers['Retry-After']).toMatch(/^\d+$/);
    for (const value of Object.values(headers)) expect(value).toMatch(/^(?:"default"|[\d;=]|[qwrt])+$/);
  });

  test('name a single limit "default", and are of the form that the limiter was given', async () => {
    const clock = virtualClock(noon);
    const strategy = tokenBucket({ capacity: 10, refillPerSecond: 2 });
    const limiter = createLimiter({ strategy, clock });
    const decision = await limiter.check('ada', 4);
    expect(limiter.headers(decision)).toEqual({
      'RateLimit-Policy': '"default";q=10;w=5',
      RateLimit: '"default";r=6;t=2',
    });
    expect(limiter.headers(decision, 'legacy')).toHaveProperty('X-RateLimit-Limit', '10');
    const other = createLimiter({ strategy, clock, headerFormat: 'draft-6' });
    expect(other.headers(await other.check('ada'))).toHaveProperty('RateLimit-Remaining', '9');
  });

  test('tell what is left of a day', async () => {
    const strategy = { day: calendarWindow({ limit: 1000, unit: 'day', timezone: 'Europe/Berlin' }) };
    const limiter = createLimiter({ strategy, clock: virtualClock(noon) });
    expect(limiter.headers(await limiter.check('ada', 963))).toEqual({
      'RateLimit-Policy': '"day";q=1000;w=86400',
      RateLimit: '"day";r=37;t=39600',
    });
  });
});

test('an unknown form is told by name, and no headers are left out in silence', () => {
  const limiter = createLimiter({ strategy: fixedWindow({ limit: 1, windowMs: 60_000 }) });
  const misspelt = JSON.parse('"draft-7"');
  expect(() => limiter.headers(limiter.checkSync('ada'), misspelt)).toThrow(
    'format must be one of draft-11, draft-6, legacy (was draft-7)',
  );
});
