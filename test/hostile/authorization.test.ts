import { BookingAccepted, BookingList, bookingKeyFor, bookingKeyOf, Problem, Quota } from '@usher/contracts';
import { expect, test } from 'vitest';
import { book } from '../support/case.ts';
import { type LambdaRequest, loadLambda } from '../support/lambda-intake.ts';
import { stackForFile } from '../support/local-stack.ts';
import { startWorld } from '../support/world.ts';

/** Every route, and two paths that there are not. */
const routesOf = (bookingId: string): string[] => [
  'POST /v1/bookings',
  'GET /v1/bookings',
  `GET /v1/bookings/${bookingId}`,
  'GET /v1/quota',
  'GET /v1/admin/policies',
  'GET /v1/nothing',
  'GET /health',
  'GET /openapi.json',
];

/** The statuses that each kind of caller gets, route by route. */
const nobody = [401, 401, 401, 401, 401, 401, 200, 200];
const noAccount = [403, 403, 403, 403, 403, 403, 200, 200];
const owner = [202, 200, 200, 200, 404, 404, 200, 200];
const stranger = [202, 200, 404, 200, 404, 404, 200, 200];

const devTokens: Record<string, { authorization?: string; answers: number[] }> = {
  'no token': { answers: nobody },
  'an empty token': { authorization: '', answers: nobody },
  'a token of another scheme': { authorization: 'Basic YWRhOmFkYQ==', answers: nobody },
  'a real-looking JWT': { authorization: 'Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZGEifQ.', answers: nobody },
  'a scheme in lower case': { authorization: 'bearer dev:ada', answers: owner },
  'a token in another case': { authorization: 'Bearer DEV:ada', answers: nobody },
  'a token with a malformed account': { authorization: 'Bearer dev:ada#quota', answers: nobody },
  'a token with an account that is too long': { authorization: `Bearer dev:${'a'.repeat(129)}`, answers: nobody },
  'two tokens': { authorization: 'Bearer dev:ada, Bearer dev:bob', answers: nobody },
  'the owner': { authorization: 'Bearer dev:ada', answers: owner },
  'another account': { authorization: 'Bearer dev:bob', answers: stranger },
  'an account that asks for a scope': { authorization: 'Bearer dev:bob usher:operator', answers: nobody },
  'an account called __proto__': { authorization: 'Bearer dev:__proto__', answers: stranger },
};

const headers = { 'content-type': 'application/json', 'idempotency-key': 'ada-own' };
const body = '{"reservations":[{"id":"a"}]}';
const split = (route: string): { method: string; path: string } => {
  const [method = '', path = ''] = route.split(' ');
  return { method, path };
};

const { stack } = stackForFile();

async function askStack(route: string, authorization: string | undefined): Promise<Response> {
  const { method, path } = split(route);
  return fetch(stack().url + path, {
    method,
    headers: { ...headers, ...(authorization === undefined ? {} : { authorization }) },
    ...(method === 'POST' ? { body } : {}),
  });
}

/** Ada's booking, made by the first call. */
async function bookOnStack(): Promise<string> {
  const answer = await askStack('POST /v1/bookings', 'Bearer dev:ada');
  return BookingAccepted.assert(await answer.json()).bookingId;
}

test.each(Object.entries(devTokens))(
  'the embedded stack answers %s route by route',
  async (_, { authorization, answers }) => {
    const responses = await Promise.all(routesOf(await bookOnStack()).map((route) => askStack(route, authorization)));
    expect(responses.map(({ status }) => status)).toEqual(answers);
    for (const response of responses.filter(({ status }) => status >= 400)) Problem.assert(await response.json());
    for (const response of responses.filter(({ status }) => status === 401)) {
      expect(response.headers.get('WWW-Authenticate')).toBe('Bearer realm="usher"');
    }
  },
);

test('another account sees nothing of a booking, by list, by quota or by its own use of the same key', async () => {
  const adas = await bookOnStack();
  const other = 'Bearer dev:eve';
  expect(BookingList.assert(await (await askStack('GET /v1/bookings', other)).json())).toEqual({ bookings: [] });
  expect(Quota.assert(await (await askStack('GET /v1/quota', other)).json())).toMatchObject({
    accountId: 'eve',
    used: 0,
  });
  const [unknown, foreign] = await Promise.all([
    askStack(`GET /v1/bookings/bk_${'a'.repeat(35)}`, other),
    askStack(`GET /v1/bookings/${adas}`, other),
  ]);
  // Word for word the same but for the request's id: whether a booking exists is not told either.
  const texts = [await foreign.text(), await unknown.text()];
  const requestIds = texts.map((text) => Problem.assert(JSON.parse(text)).requestId ?? '');
  expect(texts[0]?.replace(requestIds[0] ?? '', '')).toBe(texts[1]?.replace(requestIds[1] ?? '', ''));
  const own = await askStack('POST /v1/bookings', other);
  const { bookingId } = BookingAccepted.assert(await own.json());
  expect(bookingKeyOf(bookingId)).toBe(bookingKeyFor('eve', 'ada-own'));
});

const claims: Record<string, { claims?: Record<string, string>; answers: number[] }> = {
  'no authorizer': { answers: nobody },
  'no account claim': { claims: {}, answers: noAccount },
  'an empty account': { claims: { sub: '' }, answers: noAccount },
  'a malformed account': { claims: { sub: 'ada#quota' }, answers: noAccount },
  'an account with a line break': { claims: { sub: 'ada\n' }, answers: noAccount },
  'the account in another claim': { claims: { client_id: 'ada' }, answers: noAccount },
  'the owner': { claims: { sub: 'ada' }, answers: owner },
  'another account': { claims: { sub: 'bob' }, answers: stranger },
  'another account with scopes': { claims: { sub: 'bob', scope: 'openid usher:operator' }, answers: stranger },
  'scopes without an account': { claims: { scope: 'usher:operator' }, answers: noAccount },
};

test.each(Object.entries(claims))('the Lambda answers %s route by route', async (_, { claims, answers }) => {
  const world = await startWorld();
  const { bookingId } = await book(world, 'ada', 'ada-own', [1]);
  const ask = await loadLambda(world);
  const statuses: number[] = [];
  for (const route of routesOf(bookingId)) {
    const { method, path } = split(route);
    // A development token, and headers that a client could make up, mean nothing here.
    const forged = {
      ...headers,
      authorization: 'Bearer dev:ada',
      'x-account-id': 'ada',
      'x-amzn-oidc-identity': 'ada',
    };
    const request: LambdaRequest = {
      method,
      path,
      headers: { ...forged, 'idempotency-key': 'new' },
      ...(claims ? { claims } : {}),
    };
    const answer = await ask(method === 'POST' ? { ...request, body } : request);
    if (answer.status >= 400) Problem.assert(JSON.parse(answer.body));
    statuses.push(answer.status);
  }
  expect(statuses).toEqual(answers);
});
