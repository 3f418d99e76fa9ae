import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readReport, testCommand } from './run-suite.ts';

test("the README's own test command is what is run, and no package is skipped after a failing one", () => {
  const readme = readFileSync(join(import.meta.dirname, '../../README.md'), 'utf8');
  expect(testCommand(readme)).toBe('npx -y pnpm@12 -r --no-bail test');
  expect(() => testCommand('npx -y pnpm@12 demo')).toThrow('names no test command');
});

test('counts are summed over the packages, and each failing test is named once', () => {
  const output = [
    'packages/a test:  \u001b[31mFAIL\u001b[39m  src/x.test.ts > it works',
    'packages/a test: AssertionError: expected 1 to be 2',
    'packages/a test:  FAIL  src/x.test.ts > it works',
    'packages/a test:  Test Files  1 failed | 3 passed (4)',
    'packages/a test:       Tests  1 failed | 20 passed (21)',
    'packages/b test:       Tests  7 passed (7)',
  ].join('\n');
  expect(readReport(output)).toEqual({ passed: 27, failed: 1, failures: ['packages/a src/x.test.ts > it works'] });
  expect(readReport('Out of memory')).toEqual({ passed: 0, failed: 0, failures: [] });
});
