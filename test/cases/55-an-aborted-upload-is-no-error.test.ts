import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, expect, test, vi } from 'vitest';
import { twoHosts } from '../support/two-hosts.ts';

const headers = [
  'POST /v1/bookings HTTP/1.1',
  'Host: localhost',
  'Authorization: Bearer dev:ada',
  'Content-Type: application/json',
  'Idempotency-Key: cut-off',
];

afterEach(() => {
  vi.restoreAllMocks();
});

test.each([
  ['with its length told', 'Content-Length: 100000', '{"reservations":['],
  ['in chunks', 'Transfer-Encoding: chunked', '11\r\n{"reservations":[\r\n'],
  ['before its first byte', 'Content-Length: 100000', ''],
])('case 55: an upload %s that the client aborts is no error', async (_, how, sent) => {
  const printed = [vi.spyOn(console, 'error'), vi.spyOn(console, 'warn')];
  const hosts = await twoHosts();
  const answered = hosts.nextAnswer();
  const { hostname, port } = new URL(hosts.url);
  const socket = connect(Number(port), hostname);
  await once(socket, 'connect');
  await new Promise((resolve) => socket.write(`${[...headers, how].join('\r\n')}\r\n\r\n${sent}`, resolve));
  socket.destroy();
  await answered;

  expect(hosts.logged).toEqual([
    {
      level: 'info',
      message: 'request answered',
      fields: expect.objectContaining({ accountId: 'ada', status: 400, problem: 'malformed-request' }),
    },
  ]);
  expect(hosts.counts).toEqual(new Map([['RequestsRefused', 1]]));
  for (const spy of printed) expect(spy).not.toHaveBeenCalled();
  expect(hosts.written).toEqual([]);
  expect(await hosts.local({ method: 'GET', target: '/health' })).toMatchObject({ status: 200 });
});
