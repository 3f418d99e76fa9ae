import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { listen, urlOf } from './loopback.ts';

test('has an idle connection closed by its client, which is told that it may stay for ten minutes', async () => {
  const server = createServer((_, response) => response.end());
  await listen(server, 0);
  const answer = await fetch(urlOf(server));
  expect(answer.headers.get('Keep-Alive')).toBe('timeout=600');
  await new Promise((resolve) => server.close(resolve));
});
