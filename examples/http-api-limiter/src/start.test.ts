import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const program = fileURLToPath(new URL('start.ts', import.meta.url));

async function start(failPolicy: string): Promise<string[]> {
  const env = { ...process.env, FAIL_POLICY: failPolicy };
  const { stdout } = await promisify(execFile)(process.execPath, [program], { env });
  return stdout.trim().split('\n').slice(1);
}

const whileItIsUp = [
  '/search ada 200 r=5 -',
  '/broken ada 502 r=4 -',
  '/search ada 200 r=0 -',
  expect.stringMatching(/^\/things ada 429 r=0 (10000|9\d{3})$/),
  '/things bob 200 r=9 -',
  '/things 203.0.113.7 200 r=9 -',
];

test('a caller is limited by the token, or by the address; without its table the API stays open', async () => {
  expect(await start('open')).toEqual([...whileItIsUp, '/things carol 200 - -']);
});

test('with a closed fail policy it answers 503 instead, and when to come again', async () => {
  expect(await start('closed')).toEqual([...whileItIsUp, '/things carol 503 - 1']);
});
