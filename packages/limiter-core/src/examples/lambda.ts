import { createLimiter, tokenBucket, virtualClock } from '../index.ts';
import { type ProxyResult, withLimit } from '../lambda.ts';

const limiter = createLimiter({
  strategy: tokenBucket({ capacity: 2, refillPerSecond: 0.1 }),
  clock: virtualClock('2026-11-29T12:00:00Z'), // left out: the machine's
});

export const handler = withLimit(
  limiter,
  async (event: { rawPath: string }): Promise<ProxyResult> => ({
    statusCode: 200,
    body: `you asked for ${event.rawPath}`,
  }),
);

// What API Gateway sends once its JWT authorizer has verified a token:
const claims = { iss: 'https://issuer.example', sub: 'ada' };
const event = {
  rawPath: '/things',
  requestContext: { http: { sourceIp: '203.0.113.7' }, authorizer: { jwt: { claims } } },
};
for (let i = 0; i < 3; i++) {
  const { statusCode, headers = {} } = await handler(event);
  console.log(statusCode, headers.RateLimit, headers['Retry-After'] ?? '-');
}
