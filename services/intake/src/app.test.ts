import { expect, test } from 'vitest';
import { problemOf } from './testing/answers.ts';
import { rows, startIntake } from './testing/start-intake.ts';

test('a request without a caller is answered 401 and says how to authenticate, before anything else is looked at', async () => {
  const intake = await startIntake();
  for (const path of ['/v1/bookings', '/v1/quota', '/v1/nothing', '/v1/admin/accounts']) {
    const response = await intake.fetch(path, { method: 'DELETE', headers: { authorization: 'Basic x' } });
    expect(response.status).toBe(401);
    expect(response.headers.get('www-authenticate')).toBe('Bearer realm="usher"');
    expect((await problemOf(response)).type).toBe('/problems/unauthenticated');
  }
  expect(await intake.table.items()).toEqual([]);
});

test('a caller whose account id could shape a key is answered 403', async () => {
  const intake = await startIntake();
  for (const account of ['a#b', 'ä', 'x'.repeat(129), '']) {
    const response = await intake.fetch('/v1/quota', { headers: { authorization: `Bearer ${encodeURI(account)}` } });
    expect(response.status).toBe(403);
    expect((await problemOf(response)).type).toBe('/problems/forbidden');
  }
});

test('unknown paths are answered 404', async () => {
  const intake = await startIntake();
  for (const path of [
    '/',
    '/nope',
    '/v1',
    '/v1/bookings/',
    '/v1/bookings/bk_1/rows',
    '/v1/admin/accounts',
    '/v1/quotas',
    '/v1/bookings/%00',
  ]) {
    const response = await intake.fetch(path);
    expect([path, response.status]).toEqual([path, 404]);
    expect((await problemOf(response)).type).toBe('/problems/not-found');
  }
});

test('a wrong method is answered 405 with the methods that the path knows', async () => {
  const intake = await startIntake();
  const known = [
    ['/v1/bookings', 'PUT', 'GET, HEAD, POST, OPTIONS'],
    ['/v1/bookings/bk_1', 'DELETE', 'GET, HEAD, OPTIONS'],
    ['/v1/quota', 'POST', 'GET, HEAD, OPTIONS'],
    ['/openapi.json', 'POST', 'GET, HEAD, OPTIONS'],
    ['/health', 'PATCH', 'GET, HEAD, OPTIONS'],
  ] as const;
  for (const [path, method, allow] of known) {
    const response = await intake.fetch(path, { method });
    expect([path, response.status, response.headers.get('allow')]).toEqual([path, 405, allow]);
    expect((await problemOf(response)).type).toBe('/problems/method-not-allowed');
  }
});

test('OPTIONS tells the methods and HEAD answers as GET does, without a body', async () => {
  const intake = await startIntake();
  const options = await intake.fetch('/v1/bookings', { method: 'OPTIONS' });
  expect([options.status, options.headers.get('allow')]).toEqual([204, 'GET, HEAD, POST, OPTIONS']);
  const head = await intake.fetch('/v1/quota', { method: 'HEAD' });
  expect([head.status, head.headers.get('ratelimit'), await head.text()]).toEqual([200, '"daily";r=1000;t=43200', '']);
});

test('a body that is not called JSON, or is encoded, is answered 415', async () => {
  const intake = await startIntake();
  const wrong = [
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/json-seq' },
    { 'content-type': 'application/json; charset=latin1' },
    { 'content-encoding': 'gzip' },
  ];
  for (const headers of wrong) {
    const response = await intake.submit({ reservations: rows(1) }, { headers });
    expect([response.status, (await problemOf(response)).type]).toEqual([415, '/problems/unsupported-media-type']);
    expect(response.headers.get('accept')).toBe('application/json');
  }
  for (const type of ['application/json; charset=UTF-8', 'Application/JSON;charset="utf-8"']) {
    expect((await intake.submit({ reservations: rows(1) }, { headers: { 'content-type': type } })).status).toBe(202);
  }
});

test('an unexpected error is answered 500 without its details; the log has its name and where it came from', async () => {
  const intake = await startIntake();
  intake.clock.set(Number.NaN);
  const response = await intake.fetch('/v1/quota');
  const problem = await problemOf(response);
  expect([response.status, problem.type, problem.detail]).toEqual([
    500,
    '/problems/internal',
    'Something unexpected went wrong.',
  ]);
  const line = {
    level: 'error',
    message: 'unexpected error',
    fields: { error: { name: 'RangeError' }, accountId: 'acme' },
  };
  expect(intake.logged.filter(({ level }) => level === 'error')).toMatchObject([line]);
  expect(intake.counts.get('UnexpectedErrors')).toBe(1);
});

test('a table that does not answer is 503 for readers too', async () => {
  const intake = await startIntake();
  intake.fault(() => 'refused');
  for (const path of ['/v1/quota', '/v1/bookings', `/v1/bookings/bk_${'a'.repeat(35)}`]) {
    const response = await intake.fetch(path);
    expect([path, response.status, response.headers.get('retry-after')]).toEqual([path, 503, '1']);
    expect((await problemOf(response)).type).toBe('/problems/unavailable');
  }
  const errors = intake.logged.filter(({ level }) => level === 'error');
  expect(errors).toMatchObject(Array(3).fill({ message: 'unavailable', fields: { accountId: 'acme' } }));
});

test('every line that is logged about a request, by whomever, has the id that its answer names', async () => {
  const intake = await startIntake();
  intake.queue.answer(() => new Error('down'));
  intake.fault((_, input) => (JSON.stringify(input).includes('rate#submission') ? 'refused' : undefined));
  // Two at once, so that one's lines could be taken for the other's.
  const answers = await Promise.all([
    intake.submit({ reservations: rows(1) }),
    intake.submit({ reservations: rows(1) }, { account: 'other' }),
  ]);
  const ids = answers.map((answer) => answer.headers.get('x-request-id'));
  expect(new Set(ids).size).toBe(2);
  for (const [n, account] of ['acme', 'other'].entries()) {
    const own = intake.logged.filter(({ fields }) => fields.accountId === account);
    expect(own.map(({ message }) => message)).toEqual(
      expect.arrayContaining(['submission limiter failed open', 'queue did not take entries', 'request answered']),
    );
    expect(new Set(own.map(({ fields }) => fields.requestId))).toEqual(new Set([ids[n]]));
  }
  expect(intake.logged.every(({ fields }) => ids.some((id) => id === fields.requestId))).toBe(true);
});

test('an unknown or repeated parameter is named, on every route; a name that is none is not repeated', async () => {
  const intake = await startIntake();
  const cases = [
    ['/v1/quota?limit=1', 'limit'],
    ['/v1/bookings?cursor=a&cursor=a', 'cursor'],
    [`/v1/bookings/bk_${'a'.repeat(35)}?from=2026-11-29`, 'from'],
    ['/openapi.json?v=1', 'v'],
    ['/health?=1', ''],
    ['/problems/internal?lang=en', 'lang'],
    ['/v1/quota?%00secret=1', ''],
    [`/v1/quota?${'secret'.repeat(20)}=1`, ''],
  ] as const;
  for (const [path, parameter] of cases) {
    const response = await intake.fetch(path);
    const { type, errors, errorCount } = await problemOf(response);
    expect([path, response.status, type, errors, errorCount]).toEqual([
      path,
      400,
      '/problems/invalid-query',
      [{ parameter, detail: expect.any(String) }],
      1,
    ]);
  }
});
