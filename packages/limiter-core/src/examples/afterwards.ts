import { createLimiter, fixedWindow, tokenBucket, virtualClock } from '../index.ts';

const limiter = createLimiter({
  strategy: fixedWindow({ limit: 10, windowMs: 60_000 }),
  clock: virtualClock('2026-11-29T12:00:00Z'), // left out: the machine's
});
const left = async () => (await limiter.peek('ada')).remaining;

const decision = await limiter.check('ada', 4);
await limiter.refund(decision); // it came from a cache
console.log('after the refund', await left());

await limiter.check('ada', 1);
await limiter.charge('ada', 11); // it took more than was asked for
console.log('after the charge', await left());

await limiter.block('ada', 3_600_000);
const { reason, retryAfterMs } = await limiter.check('ada');
console.log(reason, retryAfterMs);

await limiter.delete('ada');
console.log('after the delete', await left());

// A caller that can wait, such as a consumer of a queue:
const pace = createLimiter({ strategy: tokenBucket({ capacity: 1, refillPerSecond: 20 }) });
for (let i = 0; i < 3; i++) {
  const { allowed } = await pace.waitUntilAllowed('partner', { maxWaitMs: 10_000 });
  console.log('call', i, allowed);
}
