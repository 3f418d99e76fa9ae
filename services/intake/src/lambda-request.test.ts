import { IdempotencyKey } from '@usher/contracts';
import { expect, test } from 'vitest';
import { requestOf } from './lambda-request.ts';
import { httpApiEvent } from './testing/http-api-event.ts';

const good = httpApiEvent({ method: 'POST', path: '/v1/bookings', body: '{}' });

function readOf(event: unknown): Request {
  const read = requestOf(event);
  if (read.kind !== 'request') throw new Error(read.problem);
  return read.request;
}

test('an event of an HTTP API is a request with the id that API Gateway gave it', async () => {
  const read = requestOf(
    httpApiEvent({ method: 'POST', path: '/v1/bookings', query: 'a=1&a=2', headers: { 'x-a': 'b' }, body: '{"é":1}' }),
  );
  expect(read).toMatchObject({ kind: 'request', requestId: 'request-1' });
  const request = readOf({ ...good, rawQueryString: 'a=1&a=2', headers: { 'x-a': 'b' }, body: '{"é":1}' });
  expect([request.method, request.url]).toEqual(['POST', 'https://intake/v1/bookings?a=1&a=2']);
  expect([request.headers.get('x-a'), await request.text()]).toEqual(['b', '{"é":1}']);
});

test.each<[string, object, string]>([
  ['payload format 1.0', { version: '1.0' }, 'version must be "2.0"'],
  ['no version', { version: undefined }, 'version must be "2.0"'],
  ['no path', { rawPath: undefined }, 'rawPath must be a path'],
  ['a path that would be a host', { rawPath: '.attacker.example/' }, 'rawPath must be a path'],
  ['a header that is a list', { headers: { a: ['b'] } }, 'headers.a must be a string'],
  ['a header whose name is none', { headers: { 'a b': 'c' } }, 'headers must be headers'],
  ['a body that is no text', { body: {} }, 'body must be a string or null'],
  ['no request context', { requestContext: undefined }, 'requestContext must be an object'],
  [
    'another stage',
    { requestContext: { stage: 'prod', http: { method: 'GET' } } },
    'requestContext.stage must be "$default"',
  ],
  ['no method', { requestContext: { http: {} } }, 'requestContext.http.method must be a string'],
])('an event with %s is told by its field', (_, fields, problem) => {
  expect(requestOf({ ...good, ...fields })).toEqual({ kind: 'not understood', problem });
});

test.each([null, undefined, [], 'x', 7, {}])('%j is no event', (event) => {
  expect(requestOf(event).kind).toBe('not understood');
});

test('names of headers that differ in case only are one header, as on the wire', () => {
  const { headers } = readOf({ ...good, headers: { 'Idempotency-Key': 'a', 'idempotency-key': 'b' } });
  expect(headers.get('idempotency-key')).toBe('a, b');
});

test('an empty header is a header, and one beyond ASCII is the bytes that it was', () => {
  const { headers } = readOf({ ...good, headers: { a: '', b: 'é', c: '𝄞\u0000\r\nx' } });
  expect([headers.get('a'), headers.get('b')]).toEqual(['', 'Ã©']);
  expect(headers.get('c')).toBe(`${Buffer.from('𝄞').toString('latin1')}\x7f\x7f\x7fx`);
});

test.each(['k\0', '\nk', 'k\r\n'])('the key %j is not the key k', (key) => {
  const value = readOf({ ...good, headers: { 'idempotency-key': key } }).headers.get('idempotency-key');
  expect([value === 'k', IdempotencyKey.allows(value)]).toEqual([false, false]);
});

test('no part of a path is taken for a query, a fragment or a host', () => {
  for (const rawPath of ['/v1/a?from=b', '/v1/a#b', '/v1/a b', '/v1/é', '/v1/\ud800', '/v1/a\\b']) {
    const { search, hash, pathname } = new URL(readOf({ ...good, rawPath }).url);
    expect([rawPath, search, hash, pathname.includes('%')]).toEqual([rawPath, '', '', true]);
  }
  expect(new URL(readOf({ ...good, rawPath: '//attacker.example/v1' }).url).host).toBe('intake');
});

test.each([
  ['letters that are not of the alphabet', { body: '{"a":1}', isBase64Encoded: true }],
  ['an end that is missing', { body: 'e30', isBase64Encoded: true }],
  ['bits past the end', { body: 'e31=', isBase64Encoded: true }],
  ['a lone surrogate', { body: '"\ud800"', isBase64Encoded: false }],
])('a body of %s cannot be read', async (_, fields) => {
  await expect(readOf({ ...good, ...fields }).text()).rejects.toThrow('The body cannot be decoded');
});

test('the size of a body is what it is, not what the sender says', () => {
  const headers = { 'content-length': '99', 'transfer-encoding': 'chunked' };
  const of = (body: string | null) => readOf({ ...good, headers, body }).headers;
  expect([of('{}').get('content-length'), of('{}').has('transfer-encoding')]).toEqual(['2', false]);
  expect(of(null).has('content-length')).toBe(false);
});
