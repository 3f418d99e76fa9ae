import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { jwtCaller } from './lambda-caller.ts';

/** Who is found for an event's authorizer; the Lambda adapter hands the event to the app as a part of its environment. */
async function callerFor(authorizer: unknown, claim = 'sub'): Promise<unknown> {
  const app = new Hono().get('/who', (c) => {
    const caller = jwtCaller(claim)(c);
    return c.json(typeof caller === 'string' ? caller : { ...caller, scopes: [...caller.scopes] });
  });
  const answer = await app.request('/who', {}, { event: { requestContext: { authorizer } } });
  return answer.json();
}

test('the account is the claim that is configured, the scopes are those of the token', async () => {
  const jwt = { claims: { sub: 'acme', partner: 'other', scope: 'openid usher:operator' }, scopes: null };
  expect(await callerFor({ jwt })).toEqual({ accountId: 'acme', scopes: ['openid', 'usher:operator'] });
  expect(await callerFor({ jwt }, 'partner')).toMatchObject({ accountId: 'other' });
  expect(await callerFor({ jwt: { claims: { sub: 'acme' }, scopes: ['usher:operator'] } })).toEqual({
    accountId: 'acme',
    scopes: ['usher:operator'],
  });
});

test('an event without a verified token has no caller', async () => {
  expect(await callerFor(undefined)).toBe('unauthenticated');
  expect(await callerFor({ lambda: { sub: 'acme' } })).toBe('unauthenticated');
});

test('a token whose claim is no account id may not act', async () => {
  expect(await callerFor({ jwt: { claims: {} } })).toBe('forbidden');
  expect(await callerFor({ jwt: { claims: { sub: 'a#b' } } })).toBe('forbidden');
  expect(await callerFor({ jwt: { claims: { sub: 7 } } })).toBe('forbidden');
  expect(await callerFor({ jwt: { claims: {} } }, 'constructor')).toBe('forbidden');
});
