import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('the example runs without AWS: repeats count once, and what is bad comes again alone', async () => {
  const program = fileURLToPath(new URL('start.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  expect(stdout.trim().split('\n')).toEqual([
    expect.stringMatching(/^bad comes again: The detail breaks its schema: /),
    'failed bad',
    'totals {"granted":90,"rejected":20}',
    'latest {"used":90,"limit":100,"decidedAt":"2026-11-29T12:00:01.000Z"}',
  ]);
});
