import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { breaks } from './breaks.ts';

const root = join(import.meta.dirname, '..', '..');

test.each(breaks)('break $name finds each of its texts once in the code, and changes it', ({ edits }) => {
  for (const { file, find, replace } of edits) {
    expect(readFileSync(join(root, file), 'utf8').split(find), file).toHaveLength(2);
    expect(replace).not.toBe(find);
  }
});
