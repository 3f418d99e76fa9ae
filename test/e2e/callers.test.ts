import { expect, test } from 'vitest';
import { acceptedOf, call, callAs, submit } from './api.ts';
import { forgedTokenOf, tokenOf } from './tokens.ts';

const wrong = {
  'of another issuer': () => tokenOf('intruder', { iss: 'https://issuer.example.com/' }),
  'for another audience': () => tokenOf('intruder', { aud: 'somebody-else' }),
  'that has expired': () => tokenOf('intruder', { iat: 1_700_000_000, exp: 1_700_003_600 }),
  'signed with another key': () => forgedTokenOf('intruder'),
} as const;

for (const [what, makeToken] of Object.entries(wrong)) {
  test(`a token ${what} is answered 401`, async () => {
    const authorization = `Bearer ${await makeToken()}`;
    expect(await call('/v1/quota', { headers: { authorization } })).toMatchObject({ status: 401 });
  });
}

test('no token is answered 401, and a good one 200', async () => {
  expect(await call('/v1/quota')).toMatchObject({ status: 401 });
  expect(await callAs('somebody', '/v1/quota')).toMatchObject({ status: 200 });
});

test('a token that names no account is answered 403', async () => {
  expect(await callAs('nobody', '/v1/quota', {}, { sub: undefined })).toMatchObject({ status: 403 });
});

test('nothing is found at a path that is not known', async () => {
  expect(await callAs('somebody', '/v1/admin/accounts')).toMatchObject({ status: 404 });
});

test("another account's booking is answered 404", async () => {
  const { bookingId } = acceptedOf(await submit('owner', 'own', { reservations: [{ id: 'a' }] }));
  expect(await callAs('owner', `/v1/bookings/${bookingId}`)).toMatchObject({ status: 200 });
  expect(await callAs('somebody', `/v1/bookings/${bookingId}`)).toMatchObject({ status: 404 });
});

test('everybody may read the description of the API', async () => {
  const { status, body } = await call('/openapi.json');
  expect(status).toBe(200);
  expect(JSON.parse(body)).toMatchObject({ openapi: '3.1.0' });
});
