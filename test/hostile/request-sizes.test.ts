import { connect, type Socket } from 'node:net';
import { BookingList, bodyMaxBytes } from '@usher/contracts';
import { expect, test } from 'vitest';
import { serveIntake } from '../../packages/local-stack/src/intake-server.ts';
import { stackForFile } from '../support/local-stack.ts';

const { stack } = stackForFile();

/** Opens a connection and writes bytes as they are: no HTTP client would send such requests. */
function open(url: string): Promise<Socket> {
  const { hostname, port } = new URL(url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => resolve(socket));
    socket.on('error', reject);
  });
}

/** Everything that the server answers until it closes the connection; `''` where it answers nothing. */
async function answerTo(parts: readonly (string | Buffer)[], url = stack().url): Promise<string> {
  const socket = await open(url);
  let answer = '';
  socket.on('data', (bytes) => {
    answer += bytes.toString('latin1');
  });
  // The server may close while there is still something to send.
  socket.on('error', () => undefined);
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()));
  for (const part of parts) socket.write(part);
  await closed;
  return answer;
}

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
const head = (headers: readonly string[], key = 'k'): string =>
  [
    'POST /v1/bookings HTTP/1.1',
    'Host: localhost',
    'Connection: close',
    'Authorization: Bearer dev:ada',
    'Content-Type: application/json',
    `Idempotency-Key: ${key}`,
    ...headers,
    '',
    '',
  ].join('\r\n');
/** A booking padded with white space to so many bytes. */
const padded = (bytes: number): Buffer => Buffer.from('{"reservations":[{"id":"a"}]}'.padEnd(bytes));
const chunked = (body: Buffer): (string | Buffer)[] => [`${body.length.toString(16)}\r\n`, body, '\r\n0\r\n\r\n'];

test.each([
  { bytes: bodyMaxBytes - 1, status: 202 },
  { bytes: bodyMaxBytes, status: 202 },
  { bytes: bodyMaxBytes + 1, status: 413 },
])(
  'a body of $bytes bytes is answered $status, with its length told, chunked, and through fetch',
  async ({ bytes, status }) => {
    const body = padded(bytes);
    const key = `k${bytes}`;
    const told = await answerTo([head([`Content-Length: ${bytes}`], key), body]);
    const untold = await answerTo([head(['Transfer-Encoding: chunked'], key), ...chunked(body)]);
    const fetched = await fetch(`${stack().url}/v1/bookings`, {
      method: 'POST',
      headers: { Authorization: 'Bearer dev:ada', 'Content-Type': 'application/json', 'Idempotency-Key': key },
      body: new Uint8Array(body),
    });
    expect([statusOf(told), statusOf(untold), fetched.status]).toEqual([status, status, status]);
  },
);

test.each([
  ['a Content-Length below the body', ['Content-Length: 5'], '{"reservations":[{"id":"a"}]}', 400],
  ['no length at all', [], '{"reservations":[{"id":"a"}]}', 400],
  ['two lengths', ['Content-Length: 29', 'Content-Length: 30'], '{"reservations":[{"id":"a"}]}', 400],
  [
    'a length beside chunks',
    ['Content-Length: 29', 'Transfer-Encoding: chunked'],
    '1d\r\n{"reservations":[{"id":"a"}]}\r\n0\r\n\r\n',
    400,
  ],
  ['a length that is no number', ['Content-Length: 1e3'], '{}', 400],
  ['a chunk size that is no number', ['Transfer-Encoding: chunked'], 'zz\r\n{}\r\n0\r\n\r\n', 400],
  ['a header name with a space', ['X Y: 1'], '', 400],
  ['a header value with a bare line break', ['X-Y: a\nX-Z: b\rc'], '', 400],
])('%s is refused, and takes nothing', async (_, headers, body, status) => {
  const answer = await answerTo([head(headers, 'refused'), body]);
  expect(statusOf(answer)).toBe(status);
  const list = await fetch(`${stack().url}/v1/bookings`, { headers: { Authorization: 'Bearer dev:refused' } });
  expect(BookingList.assert(await list.json()).bookings).toEqual([]);
});

test.each([
  ['16 KiB in one header', [`X-Large: ${'x'.repeat(16_384)}`]],
  ['16 KiB in many headers', Array.from({ length: 1_000 }, (_, i) => `X-${i}: ${'x'.repeat(12)}`)],
])('%s is refused as too large', async (_, headers) => {
  expect(statusOf(await answerTo([head(headers)]))).toBe(431);
});

test('a client that waits for leave to send its body gets it, and its answer', async () => {
  const body = '{"reservations":[{"id":"a"}]}';
  const headers = ['Expect: 100-continue', `Content-Length: ${body.length}`];
  const answer = await answerTo([head(headers, 'expects'), body]);
  expect(answer).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 202 /);
});

test('15 KiB of headers are read', async () => {
  const answer = await answerTo([head([`X-Large: ${'x'.repeat(15_000)}`, 'Content-Length: 2']), '{}']);
  expect(statusOf(answer)).toBe(422);
});

test('a body that ends before its length costs its own connection and no other', async () => {
  const socket = await open(stack().url);
  await new Promise((resolve) => socket.write(`${head(['Content-Length: 1000'], 'short')}{"reservations":[`, resolve));
  socket.destroy();
  expect(await fetch(`${stack().url}/health`)).toMatchObject({ status: 200 });
});

test.each([
  ['a body', head(['Content-Length: 1000'])],
  ['headers', 'POST /v1/bookings HTTP/1.1\r\nHost: localhost\r\nX-Slow: '],
])('%s that never ends is ended by the server', async (_, sent) => {
  const app = async (request: Request): Promise<Response> => new Response(await request.text());
  const server = await serveIntake(app, { port: 0, requestTimeoutMs: 200 });
  expect(statusOf(await answerTo([sent], server.url))).toBe(408);
  await server.close();
});
