import { createLimiter, type LimitStore, memory, StoreUnavailableError, tokenBucket } from '../index.ts';

const strategy = tokenBucket({ capacity: 1, refillPerSecond: 0.001 });
const down = async () => {
  throw new StoreUnavailableError('it is down');
};
const store: LimitStore = { take: down, peek: down, charge: down, giveBack: down, block: down, delete: down };

const limiters = {
  open: createLimiter({ strategy, store }),
  closed: createLimiter({ strategy, store, failPolicy: 'closed' }),
  insured: createLimiter({ strategy, store, insurance: memory() }),
  byKey: createLimiter({ strategy, store, failPolicy: ({ key }) => (key === 'ada' ? 'open' : 'closed') }),
};
for (const [name, limiter] of Object.entries(limiters)) {
  for (const key of ['ada', 'ada', 'bob']) {
    const { allowed, reason, degraded } = await limiter.check(key);
    console.log(name, key, allowed, reason ?? '-', degraded);
  }
}
