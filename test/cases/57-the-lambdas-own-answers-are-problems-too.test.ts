import { expect, test, vi } from 'vitest';
import { httpApiEvent } from '../../services/intake/src/testing/http-api-event.ts';
import { loadHandler } from '../support/lambda-intake.ts';
import { twoHosts } from '../support/two-hosts.ts';
import { startWorld } from '../support/world.ts';

const claims = { sub: 'ada' };
const headers = { authorization: 'Bearer dev:ada', 'content-type': 'application/json', 'idempotency-key': 'k' };
const quota = { method: 'GET', path: '/v1/quota', claims, headers };
const booking = { method: 'POST', path: '/v1/bookings', claims, headers };

const requests: readonly [string, object, number, string][] = [
  ['GET with a body', httpApiEvent({ ...quota, body: '{}' }), 400, 'malformed-request'],
  ['TRACE', httpApiEvent({ ...quota, method: 'TRACE' }), 405, 'method-not-allowed'],
  ['CONNECT', httpApiEvent({ ...quota, method: 'CONNECT' }), 405, 'method-not-allowed'],
  ['a percent sign in the path', httpApiEvent({ ...quota, path: '/v1/bookings/%' }), 404, 'not-found'],
  ['bad base64', httpApiEvent({ ...booking, body: '{"a":1}', isBase64Encoded: true }), 400, 'malformed-request'],
  ['GET with bad base64', httpApiEvent({ ...quota, body: '%', isBase64Encoded: true }), 400, 'malformed-request'],
];

test.each(requests)(
  'case 57: %s through the Lambda adapter is answered as by every host',
  async (_, event, status, problem) => {
    const hosts = await twoHosts();
    expect(await hosts.invoke(event)).toMatchObject({ status, problem, requestId: 'request-1' });
    expect(hosts.counts).toEqual(new Map([['RequestsRefused', 1]]));
    expect(hosts.logged).toEqual([
      {
        level: 'info',
        message: 'request answered',
        fields: expect.objectContaining({ requestId: 'request-1', accountId: 'ada', status, problem }),
      },
    ]);
  },
);

test.each([
  ['payload format 1.0', { ...httpApiEvent(quota), version: '1.0' }, 'version must be "2.0"'],
  ['missing fields', { version: '2.0' }, 'rawPath must be'],
  ['nothing at all', null, 'must be an object'],
])('case 57: an event of %s is a fault of the deployment, told with what was expected', async (_, event, expected) => {
  const hosts = await twoHosts();
  expect(await hosts.invoke(event)).toMatchObject({ status: 500, problem: 'internal', requestId: 'invocation-1' });
  expect(hosts.counts).toEqual(new Map([['UnexpectedErrors', 1]]));
  expect(hosts.logged).toEqual([
    {
      level: 'error',
      message: 'event is not a request of an HTTP API',
      fields: { requestId: 'invocation-1', problem: expect.stringContaining(expected) },
    },
  ]);
});

test('case 57: the Lambda itself publishes the metric of an answer that no app made', async () => {
  const published: string[] = [];
  vi.spyOn(process.stdout, 'write').mockImplementation((line) => published.push(String(line)) > 0);
  const environment = { POWERTOOLS_METRICS_DISABLED: 'false', POWERTOOLS_METRICS_NAMESPACE: 'Usher' };
  const invoke = await loadHandler(await startWorld(), environment);
  expect((await invoke({ version: '1.0' })).status).toBe(500);
  expect((await invoke(httpApiEvent({ ...quota, method: 'TRACE' }))).status).toBe(405);
  vi.restoreAllMocks();
  expect(published.map((line) => JSON.parse(line))).toMatchObject([{ UnexpectedErrors: 1 }, { RequestsRefused: 1 }]);
});
