import { Limiter, MemoryBucketStore, virtualClock } from '../index.ts';

const clock = virtualClock('2026-11-29T12:00:00.000Z'); // in a service: systemClock
const limiter = new Limiter({ store: new MemoryBucketStore(), rate: { refillPerSecond: 2, burst: 3 }, clock });

for (const [waitMs, cost] of [
  [0, 2],
  [0, 2],
  [500, 2],
  [0, 4],
] as const) {
  clock.advance(waitMs);
  const check = await limiter.check('acme', cost);
  switch (check.kind) {
    case 'allowed':
      console.log(`${cost} taken, ${check.remaining} left`);
      break;
    case 'not_yet':
      console.log(`${cost} not yet: again in ${check.retryAfterMs} ms`);
      break;
    case 'never':
      console.log(`${cost} never: the bucket holds less`);
  }
}
