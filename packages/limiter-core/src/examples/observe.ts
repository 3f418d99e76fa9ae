import { createLimiter, fixedWindow, virtualClock } from '../index.ts';

const limiter = createLimiter({
  strategy: fixedWindow({ limit: 2, windowMs: 60_000 }),
  mode: 'observe',
  onDecision: ({ key, reason }) => {
    if (reason !== undefined) console.log(`${key} would have been refused: ${reason}`);
  },
  clock: virtualClock('2026-11-29T12:00:00Z'),
});

for (let i = 0; i < 3; i++) console.log((await limiter.check('ada')).allowed);
