import express, { type Request } from 'express';
import { rateLimit } from '../express.ts';
import { createLimiter, tokenBucket } from '../index.ts';

const limiter = createLimiter({ strategy: tokenBucket({ capacity: 10, refillPerSecond: 0.01 }) });

const app = express();
app.use(
  rateLimit(limiter, {
    trustProxies: ['10.0.0.0/8', '127.0.0.1'], // those that may say whom they speak for
    cost: (req: Request) => (req.method === 'POST' ? 5 : 1),
    skip: (req: Request) => req.path === '/health',
  }),
);
app.use((_req, res) => {
  res.send('hello');
});

const server = app.listen(0, '127.0.0.1');
await new Promise((resolve) => server.once('listening', resolve));
const address = server.address();
const port = typeof address === 'object' ? address?.port : undefined;
for (const [method, path, caller] of [
  ['POST', '/things', '203.0.113.7'],
  ['POST', '/things', '203.0.113.7'],
  ['GET', '/things', '203.0.113.7'],
  ['GET', '/things', '203.0.113.8'],
  ['GET', '/health', '203.0.113.7'],
] as const) {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, { method, headers: { 'X-Forwarded-For': caller } });
  console.log(method, path, caller, response.status);
}
server.closeAllConnections();
server.close();
