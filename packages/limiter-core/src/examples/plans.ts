import { calendarWindow, createLimiter, tokenBucket, virtualClock } from '../index.ts';

const limiter = createLimiter({
  name: 'api',
  strategy: (plan: 'free' | 'pro') => ({
    burst: tokenBucket({ capacity: plan === 'pro' ? 100 : 10, refillPerSecond: 5 }),
    day: calendarWindow({ limit: plan === 'pro' ? 50_000 : 12, unit: 'day', timezone: 'Europe/Berlin' }),
  }),
  clock: virtualClock('2026-11-29T12:00:00Z'), // left out: the machine's
});

for (const [key, plan, cost] of [
  ['ada', 'free', 8],
  ['ada', 'free', 5],
  ['ada', 'free', 13],
  ['bob', 'pro', 11],
] as const) {
  const decision = await limiter.check(key, { cost, for: plan });
  const left = decision.policies.map(({ name, remaining }) => `${name} ${remaining}`);
  console.log(key, cost, decision.reason ?? 'allowed', left.join(', '));
}
