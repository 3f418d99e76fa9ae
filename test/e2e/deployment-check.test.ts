import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { expect, inject, test } from 'vitest';
import { endpoint } from './deployment.ts';
import { aws } from './harness/emulator.ts';
import { tokenOf } from './tokens.ts';

const { certificate } = inject('run');

test('the deployment check, as an operator runs it, posts a booking and reads its decision back', async () => {
  const { code, output } = await checkDeployment(await tokenOf('deployment-check'));
  expect(output).toContain('was accepted, decided (granted)');
  expect(code).toBe(0);
});

test('the deployment check fails with a token that the API does not take, and says so', async () => {
  const { code, output } = await checkDeployment(await tokenOf('deployment-check', { aud: 'somebody-else' }));
  expect(output).toContain('GET /v1/quota answered 401 instead of 200');
  expect(code).toBe(1);
});

async function checkDeployment(token: string): Promise<{ code: unknown; output: string }> {
  const script = fileURLToPath(new URL('../../infra/bin/verify-deployment.ts', import.meta.url));
  const child = spawn(process.execPath, [script], {
    env: {
      PATH: process.env.PATH,
      USHER_TOKEN: token,
      AWS_ENDPOINT_URL: endpoint,
      AWS_REGION: aws.region,
      AWS_ACCESS_KEY_ID: aws.credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: aws.credentials.secretAccessKey,
      NODE_EXTRA_CA_CERTS: certificate,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 300_000,
  });
  const [[code], ...parts] = await Promise.all([once(child, 'close'), text(child.stdout), text(child.stderr)]);
  return { code, output: parts.join('') };
}
