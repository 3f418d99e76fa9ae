import { Hono } from 'hono';
import { rateLimit } from '../hono.ts';
import { createLimiter, tokenBucket } from '../index.ts';

const limiter = createLimiter({ strategy: tokenBucket({ capacity: 2, refillPerSecond: 0.01 }) });

const app = new Hono()
  .use(rateLimit(limiter, { countIf: ({ status }) => status < 500 })) // what fails here is not the caller's to pay
  .get('/', (c) => c.text('hello'));

// On Node the address is that of the connection. Another runtime tells its own: `address: (c) => …`
const connection = { incoming: { socket: { remoteAddress: '203.0.113.7' } } };
for (let i = 0; i < 3; i++) {
  const { status, headers } = await app.request('/', {}, connection);
  console.log(status, headers.get('ratelimit')?.replace(/t=\d+/, 't=…'));
}
