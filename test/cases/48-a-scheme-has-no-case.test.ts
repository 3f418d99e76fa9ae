import { Quota } from '@usher/contracts';
import { expect, test } from 'vitest';
import { twoHosts } from '../support/two-hosts.ts';

test.each(['Bearer dev:ada', 'bearer dev:ada', 'BEARER dev:ada', 'bearer   dev:ada'])(
  'case 48: "%s" is taken, by every host that reads it',
  async (authorization) => {
    const hosts = await twoHosts();
    const request = { method: 'GET', target: '/v1/quota', headers: [['Authorization', authorization] as const] };
    for (const answer of [await hosts.local(request), await hosts.lambda(request)]) {
      expect(answer.status).toBe(200);
      expect(Quota.assert(JSON.parse(answer.text))).toMatchObject({ accountId: 'ada' });
    }
  },
);

test.each([
  'dev:ada',
  'Bearerdev:ada',
  'Basic dev:ada',
  'bearer DEV:ada',
  'bearer dev:ada dev:bob',
  'bearer bearer dev:ada',
])('case 48: "%s" still names nobody', async (authorization) => {
  const hosts = await twoHosts();
  const request = { method: 'GET', target: '/v1/quota', headers: [['Authorization', authorization] as const] };
  expect(await hosts.local(request)).toMatchObject({ status: 401, problem: 'unauthenticated' });
});
