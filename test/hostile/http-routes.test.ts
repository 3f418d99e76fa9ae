import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hostileIntake } from '../support/hostile-intake.ts';
import { canary, nameCanary } from '../support/hostile-values.ts';

const segment = fc.constantFrom(
  'v1',
  'bookings',
  'quota',
  'admin',
  'health',
  'openapi.json',
  'problems',
  'not-found',
  '..',
  '.',
  '',
  '%2e%2e',
  '%00',
  '%ff',
  '%',
  '__proto__',
  'constructor',
  canary,
  `bk_${'a'.repeat(35)}`,
  'bk_%0a',
  '*',
  ':bookingId',
  'a'.repeat(2_000),
);
const path = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.constantFrom(
      '/v1/bookings',
      `/v1/bookings/bk_${'a'.repeat(35)}`,
      '/v1/quota',
      '/v1/admin/accounts',
      '/health',
      '/openapi.json',
      '/problems/invalid-body',
    ),
  },
  { weight: 1, arbitrary: fc.array(segment, { maxLength: 4 }).map((segments) => `/${segments.join('/')}`) },
);
const parameter = fc.tuple(
  fc.constantFrom('cursor', 'from', '__proto__', nameCanary, `${nameCanary}%00`, nameCanary.repeat(50)),
  fc.constantFrom(
    '',
    '0',
    '-1',
    '1e9',
    '99999999999999999999',
    '2026-11-29',
    '2026-02-30',
    canary,
    `%0a${canary}`,
    'MjAyNg',
    '%ff',
    'x'.repeat(500),
  ),
);
const query = fc
  .array(parameter, { maxLength: 2 })
  .map((parameters) => parameters.map((pair) => pair.join('=')).join('&'));
const method = fc.constantFrom(
  'GET',
  'HEAD',
  'POST',
  'PUT',
  'PATCH',
  'DELETE',
  'OPTIONS',
  'PROPFIND',
  'get',
  'x'.repeat(100),
);

const headerValues: Record<string, string[]> = {
  Authorization: [
    'Bearer dev:ada',
    'Bearer dev:ada',
    'Bearer dev:ada',
    '',
    'Bearer',
    `Bearer dev:${canary}#x`,
    `Bearer dev:${canary}\u00e9`,
    'Bearer dev:',
    'bearer dev:ada',
    'Basic YTpi',
    'bearer  dev:ada',
    `Bearer ${canary}`,
    'Bearer dev:ada, Bearer dev:bob',
  ],
  'Content-Type': [
    'application/json',
    'application/json; charset=utf-8',
    'APPLICATION/JSON',
    'text/plain',
    `application/json; charset=${canary}`,
    canary,
    ';',
    '',
  ],
  'Content-Length': ['0', '-1', '1e3', '4194305', '99999999999999999999', canary, '2, 2'],
  'Content-Encoding': ['gzip', 'identity', canary, ''],
  'Idempotency-Key': ['key', canary, `${canary} x`, `"${canary}"`, 'k'.repeat(256), '{}', '\u00ff', '', 'a,b', 'a, a'],
  'X-Forwarded-For': [canary, '127.0.0.1'],
  'X-Http-Method-Override': ['DELETE'],
  Range: ['bytes=0-1'],
  'If-None-Match': ['*'],
  Accept: [canary],
};
const header = fc
  .constantFrom(...Object.entries(headerValues))
  .chain(([name, values]) => fc.tuple(fc.constant(name), fc.constantFrom(...values)));
const body = fc.constantFrom(
  '{"reservations":[{"id":"a"}]}',
  `{"reservations":[{"id":"${canary}\\u0000"}]}`,
  '',
  'null',
);

const usual = { Authorization: 'Bearer dev:ada', 'Content-Type': 'application/json', 'Idempotency-Key': 'key' };

test.each([1, 2, 3, 4, 5])(
  '10,000 requests with any method, path, query and headers are answered by the rules: part %d',
  async () => {
    const { probe, statuses } = hostileIntake();
    const headers = fc.array(header, { maxLength: 5 });
    const anything = fc.record({ method, path, query, body, headers, known: fc.boolean() });
    const almostRight = fc.record({
      method: fc.constant('POST'),
      path: fc.constant('/v1/bookings'),
      query: fc.constant(''),
      body,
      headers: fc.array(header, { maxLength: 1 }),
      known: fc.constant(true),
    });
    const request = fc.oneof({ weight: 6, arbitrary: anything }, { weight: 1, arbitrary: almostRight });
    await fc.assert(
      fc.asyncProperty(request, async (given) => {
        const headers = new Headers(given.known ? usual : {});
        for (const [name, value] of given.headers) headers.set(name, value);
        const hasBody = !/^(get|head)$/i.test(given.method);
        const url = `http://127.0.0.1${given.path}?${given.query}`;
        await probe(new Request(url, { method: given.method, headers, ...(hasBody ? { body: given.body } : {}) }));
      }),
      { numRuns: 2_000 },
    );
    expect([...statuses.keys()].sort()).toEqual(expect.arrayContaining([200, 202, 204, 400, 401, 404, 405, 415, 422]));
  },
);
