import { expect, test } from 'vitest';
import { type TwoHosts, twoHosts, type WireRequest } from '../support/two-hosts.ts';

const ada = ['Authorization', 'Bearer dev:ada'] as const;
const json = ['Content-Type', 'application/json'] as const;
const key = ['Idempotency-Key', 'key-1'] as const;
const body = '{"reservations":[{"id":"A-17"}]}';

interface Row {
  readonly name: string;
  readonly request: WireRequest;
  readonly status: number;
  /** @default a success, or an answer without a body */
  readonly problem: string | undefined;
}

const post = (
  name: string,
  headers: NonNullable<WireRequest['headers']>,
  status: number,
  problem?: string,
  more: Partial<WireRequest> = {},
): Row => ({ name, request: { method: 'POST', target: '/v1/bookings', headers, body, ...more }, status, problem });
const ask = (name: string, line: string, status: number, problem?: string, more: Partial<WireRequest> = {}): Row => {
  const [method = '', target = ''] = line.split(' ');
  return { name, request: { method, target, headers: [ada], ...more }, status, problem };
};
const withKey = (...values: string[]) => [ada, json, ...values.map((value) => ['Idempotency-Key', value] as const)];
const withType = (...values: string[]) => [ada, key, ...values.map((value) => ['Content-Type', value] as const)];
const withEncoding = (...values: string[]) => [
  ...[ada, json, key],
  ...values.map((value) => ['Content-Encoding', value] as const),
];
const badKey = 'invalid-idempotency-key';
const badType = 'unsupported-media-type';

const requests: readonly Row[] = [
  post('a booking', [ada, json, key], 202),
  post('a key sent twice', withKey('a', 'b'), 400, badKey),
  post('one key sent twice', withKey('a', 'a'), 400, badKey),
  post('a key sent twice in two cases', [ada, json, key, ['IDEMPOTENCY-KEY', 'b']], 400, badKey),
  post('a key and an empty one', withKey('a', ''), 400, badKey),
  post('a key with a comma', withKey('a,b'), 400, badKey),
  post('an empty key', withKey(''), 400, badKey),
  post('no key', [ada, json], 400, badKey),
  post('a key between spaces', withKey('  a  '), 202),
  post('a key with a space', withKey('a b'), 400, badKey),
  post('a key with a tab', withKey('a\tb'), 400, badKey),
  post('a key beyond ASCII', withKey('é'), 400, badKey),
  post('a key that spells an escape', withKey('%C3%A9'), 202),
  post('a key of 256 characters', withKey('k'.repeat(256)), 400, badKey),
  post(
    'headers in upper case',
    [
      ['AUTHORIZATION', ada[1]],
      ['CONTENT-TYPE', json[1]],
      ['IDEMPOTENCY-KEY', 'a'],
    ],
    202,
  ),
  post('a scheme in lower case', [['Authorization', 'bearer dev:ada'], json, key], 202),
  post('two spaces after the scheme', [['Authorization', 'Bearer  dev:ada'], json, key], 202),
  post('two tokens', [ada, ['Authorization', 'Bearer dev:bob'], json, key], 401, 'unauthenticated'),
  post('one token twice', [ada, ada, json, key], 401, 'unauthenticated'),
  post('an empty token', [['Authorization', ''], json, key], 401, 'unauthenticated'),
  post('a cookie', [ada, json, key, ['Cookie', 'a=b'], ['Cookie', 'c=d']], 202),
  post('two types', withType(json[1], json[1]), 415, badType),
  post('two types, the second in a parameter', withType('application/json; a=b', 'text/plain'), 415, badType),
  post('no type', [ada, key], 415, badType),
  post('JSON in UTF-16', withType('application/json; charset=utf-16'), 415, badType),
  post('JSON in UTF-8', withType('Application/JSON; charset="UTF-8"'), 202),
  post('a compressed body', withEncoding('gzip'), 415, badType),
  post('a body encoded twice', withEncoding('identity', 'identity'), 415, badType),
  post('a body called uncompressed', withEncoding('identity'), 202),
  post('a body that begins with a byte order mark', [ada, json, key], 202, undefined, { body: `\ufeff${body}` }),
  post('an empty body', [ada, json, key], 400, 'malformed-json', { body: '' }),
  post('characters beyond the basic plane', [ada, json, key], 202, undefined, {
    body: '{"reservations":[{"id":"𝄞"}]}',
  }),
  post('a query', [ada, json, key], 400, 'invalid-query', { target: '/v1/bookings?mode=partial' }),
  ask('a cursor twice', 'GET /v1/bookings?cursor=a&cursor=b', 400, 'invalid-query'),
  ask('one cursor twice', `GET /v1/bookings/bk_${'a'.repeat(35)}?cursor=0&cursor=0`, 400, 'invalid-query'),
  ask('an unknown parameter', 'GET /v1/quota?verbose=1', 400, 'invalid-query'),
  ask('an unknown parameter of health', 'GET /health?x', 400, 'invalid-query'),
  ask('a parameter in another case', 'GET /v1/bookings?From=2026-11-29', 400, 'invalid-query'),
  ask('an escaped name of a parameter', 'GET /v1/bookings?fr%6Fm=2026-11-29', 200),
  ask('an empty cursor', 'GET /v1/bookings?cursor=', 400, 'invalid-query'),
  ask('a question mark alone', 'GET /v1/quota?', 200),
  ask('a body where none is taken', 'GET /v1/quota', 400, 'malformed-request', { body: '{}' }),
  ask('a body to health', 'GET /health', 400, 'malformed-request', { body: '{}' }),
  ask('TRACE', 'TRACE /v1/quota', 405, 'method-not-allowed'),
  ask('TRACE of nothing', 'TRACE /v1/nothing', 404, 'not-found'),
  ask('TRACE of health', 'TRACE /health', 405, 'method-not-allowed'),
  ask('DELETE with a body', 'DELETE /v1/bookings', 405, 'method-not-allowed', { body: '{}' }),
  ask('PROPFIND', 'PROPFIND /v1/bookings', 405, 'method-not-allowed'),
  ask('HEAD', 'HEAD /v1/quota', 200),
  ask('HEAD of a booking that is not there', `HEAD /v1/bookings/bk_${'a'.repeat(35)}`, 404),
  ask('OPTIONS', 'OPTIONS /v1/bookings', 204),
  ask('OPTIONS of health', 'OPTIONS /health', 204),
  ask('OPTIONS without a token', 'OPTIONS /v1/bookings', 401, 'unauthenticated', { headers: [] }),
  ask('a percent sign', 'GET /v1/bookings/%', 404, 'not-found'),
  ask('an escape that is none', 'GET /v1/%zz', 404, 'not-found'),
  ask('an escaped letter', 'GET /v1/%71uota', 404, 'not-found'),
  ask('an escaped letter of a booking', `GET /v1/bookings/bk_%61${'a'.repeat(34)}`, 404, 'not-found'),
  ask('an escaped question mark', 'GET /v1/bookings%3Ffrom=2026-11-29', 404, 'not-found'),
  ask('bytes that are no text', 'GET /v1/bookings/%ff', 404, 'not-found'),
  ask('two slashes', 'GET /v1//quota', 404, 'not-found'),
  ask('a slash at the end', 'GET /v1/quota/', 404, 'not-found'),
  ask('a path in upper case', 'GET /V1/quota', 404, 'not-found'),
  ask('a path outside, by dots', 'GET /problems/../v1/quota', 200),
  ask('a path outside, by escaped dots', 'GET /problems/%2e%2e/v1/quota', 401, 'unauthenticated', { headers: [] }),
  ask('a problem', 'GET /problems/invalid-body', 200, undefined, { headers: [] }),
  ask('a problem that there is not', 'GET /problems/constructor', 404, 'not-found', { headers: [] }),
];

/** Statuses of an answer by all ways that a request can come. */
async function answers({ local, lambda }: TwoHosts, request: WireRequest) {
  return [await local(request), await lambda(request), await lambda(request, { encoded: true })];
}

test.each(requests)('$name: the same answer from both hosts', async ({ request, status, problem }) => {
  const hosts = await twoHosts();
  const told = await answers(hosts, request);
  expect(told.map((answer) => [answer.status, answer.problem])).toEqual(Array(3).fill([status, problem]));
  // Each answer names its request, and so does every line that was logged about it.
  const requestIds = told.map(({ requestId }) => requestId);
  expect(requestIds).toEqual([expect.stringMatching(/^id-\d+$/), 'request-1', 'request-1']);
  const lines = hosts.logged.filter(({ message }) => message === 'request answered');
  expect(lines.map(({ fields }) => fields)).toMatchObject(requestIds.map((requestId) => ({ requestId, status })));
  expect(hosts.counts.get('RequestsRefused') ?? 0).toBe(status >= 400 ? 3 : 0);
  expect(hosts.counts.has('UnexpectedErrors')).toBe(false);
});

test('a sender cannot choose the id of a request', async () => {
  const hosts = await twoHosts();
  const request = { method: 'GET', target: '/health', headers: [['X-Request-Id', 'mine'] as const] };
  for (const { requestId } of await answers(hosts, request)) expect(requestId).not.toBe('mine');
});
