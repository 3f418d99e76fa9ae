import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { jwtCaller } from './lambda-caller.ts';

/** The caller found for an event's authorizer. The Lambda adapter hands the event to the app in its environment. */
async function callerFor(authorizer: unknown, claim = 'sub'): Promise<unknown> {
  const app = new Hono().get('/who', (c) => {
    return c.json(jwtCaller(claim)(c));
  });
  const answer = await app.request('/who', {}, { event: { requestContext: { authorizer } } });
  return answer.json();
}

test('the account is the claim that is configured, whatever the scopes of the token', async () => {
  const jwt = { claims: { sub: 'acme', partner: 'other', scope: 'openid booking' }, scopes: null };
  expect(await callerFor({ jwt })).toEqual({ accountId: 'acme' });
  expect(await callerFor({ jwt }, 'partner')).toEqual({ accountId: 'other' });
  expect(await callerFor({ jwt: { claims: { sub: 'acme' }, scopes: ['booking'] } })).toEqual({ accountId: 'acme' });
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
