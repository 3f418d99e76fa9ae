import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

test('the limits hold, and calls are shared, remembered and leased', async () => {
  const program = fileURLToPath(new URL('start.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  // A refused write is followed by a read where the server does not tell the item with the refusal, as dynalite does not.
  expect(stdout.trim().split('\n')).toEqual([
    'one after the other: 5 of 5 allowed, 5 writes, 0 reads',
    'refused, and remembered: 0 of 5 allowed, 1 writes, 1 reads',
    'two limits in one write: 5 of 5 allowed, 5 writes, 0 reads',
    'at once, on one key: 100 of 100 allowed, 1 writes, 0 reads',
    'leased: 200 of 200 allowed, 4 writes, 0 reads',
    'spaced evenly: 3 of 5 allowed, 4 writes, 1 reads',
    'used up: 2 of 3 allowed, 3 writes, 1 reads',
    'an hour later, nothing deleted: 2 of 3 allowed, 3 writes, 1 reads',
  ]);
});
