import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import jsTokens from 'js-tokens';
import { isSafePattern } from 'redos-detector';
import { expect, test } from 'vitest';

/**
 * No expression of the product backtracks without a bound: for each the detector has to prove one, which is small and
 * does not grow with the input. What it cannot prove is refused as well. Expressions made at run time are counted below.
 */
const root = join(import.meta.dirname, '..');
const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.mts'], {
  cwd: root,
})
  .toString()
  .split('\n')
  .filter((file) => file !== '' && existsSync(join(root, file)))
  .filter(
    (file) =>
      !file.startsWith('test/') && !file.includes('/testing/') && !/\.(test|contract|conformance)\.ts$/.test(file),
  );

/** The most ways in which an expression may try one input. */
const maxScore = 10;

function isBounded(pattern: string, flags: string): boolean {
  // The detector knows groups but not their names, which change nothing.
  const unnamed = pattern.replaceAll(/\(\?<[a-z]\w*>/gi, '(');
  return isSafePattern(unnamed, {
    maxScore,
    caseInsensitive: flags.includes('i'),
    unicode: flags.includes('u'),
    dotAll: flags.includes('s'),
    multiLine: flags.includes('m'),
  }).safe;
}

function expressionsOf(file: string): { readonly pattern: string; readonly flags: string; readonly at: string }[] {
  let line = 1;
  return [...jsTokens(readFileSync(join(root, file), 'utf8'))].flatMap(({ type, value }) => {
    const at = `${file}:${line} ${value}`;
    line += value.split('\n').length - 1;
    const end = value.lastIndexOf('/');
    return type === 'RegularExpressionLiteral'
      ? [{ at, pattern: value.slice(1, end), flags: value.slice(end + 1) }]
      : [];
  });
}

test('no expression backtracks without a bound', { timeout: 120_000 }, () => {
  const expressions = files.flatMap(expressionsOf);
  expect(expressions.length).toBeGreaterThan(40);
  expect(expressions.filter(({ pattern, flags }) => !isBounded(pattern, flags)).map(({ at }) => at)).toEqual([]);
});

test.each(['0+$', '\\s+$', '(a+)+$', '^.*?,.*?,$'])('%s would be found', (pattern) => {
  expect(isBounded(pattern, '')).toBe(false);
});

test('expressions are made at run time in one place, of constants, each of one class of characters after another', () => {
  const making = files.filter((file) => readFileSync(join(root, file), 'utf8').includes('RegExp('));
  expect(making).toEqual(['packages/contracts/src/text.ts']);
});
