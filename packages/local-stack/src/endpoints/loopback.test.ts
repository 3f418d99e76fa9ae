import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { listen, urlOf } from './loopback.ts';

test('an idle connection is for its client to close, which is told that it may stay for ten minutes', async () => {
  const server = createServer((_, response) => response.end());
  await listen(server, 0);
  const answer = await fetch(urlOf(server));
  expect(answer.headers.get('Keep-Alive')).toBe('timeout=600');
  await new Promise((resolve) => server.close(resolve));
});
