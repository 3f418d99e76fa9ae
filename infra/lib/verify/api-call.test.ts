import { createServer, type IncomingMessage, type Server } from 'node:http';
import { text } from 'node:stream/consumers';
import { afterEach, expect, test } from 'vitest';
import { apiCall } from './api-call.ts';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

/** A loopback server that answers with what it was sent, or with a text. */
async function serve(answer: (request: IncomingMessage, body: string) => string): Promise<string> {
  const server = createServer(async (request, response) => {
    response.writeHead(202).end(answer(request, await text(request)));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('No port');
  return `http://127.0.0.1:${address.port}`;
}

const echo = ({ method, url, headers }: IncomingMessage, body: string): string =>
  JSON.stringify({ method, url, host: headers.host, type: headers['content-type'], body });

test('a call through an emulator names the host of the API', async () => {
  const call = apiCall('http://api-1.execute-api.localhost:4566', await serve(echo));
  expect(await call({ method: 'POST', path: '/v1/bookings?x=1', body: { a: 1 } })).toEqual({
    status: 202,
    body: {
      method: 'POST',
      url: '/v1/bookings?x=1',
      host: 'api-1.execute-api.localhost:4566',
      type: 'application/json',
      body: '{"a":1}',
    },
  });
});

test('a call goes to the host of the API where nothing else is said', async () => {
  const url = await serve(echo);
  const { body } = await apiCall(url)({ method: 'GET', path: '/health' });
  expect(body).toMatchObject({ host: new URL(url).host, url: '/health' });
});

test('an answer that is no JSON is handed over as text', async () => {
  const call = apiCall(await serve(() => 'Bad gateway'));
  expect(await call({ method: 'GET', path: '/' })).toEqual({ status: 202, body: 'Bad gateway' });
});

test('a connection that is refused is an error', async () => {
  const url = await serve(echo);
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
  await expect(apiCall(url)({ method: 'GET', path: '/' })).rejects.toThrow('ECONNREFUSED');
});
