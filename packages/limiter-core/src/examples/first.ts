import { createLimiter, tokenBucket } from '../index.ts';

const limiter = createLimiter({ strategy: tokenBucket({ capacity: 3, refillPerSecond: 1 / 60 }) });

for (let i = 0; i < 4; i++) {
  const { allowed, remaining, retryAfterMs } = await limiter.check('ada');
  console.log(allowed ? `let in, ${remaining} left` : `again in ${Math.ceil(retryAfterMs / 60_000)} min`);
}
