import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { type } from 'arktype';
import { expect, test } from 'vitest';

/** Licences under which a production dependency may come, by their SPDX ids; CONTRIBUTING names the kinds. */
const allowed = new Set([
  '0BSD',
  'Apache-2.0',
  'BlueOak-1.0.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'CC0-1.0',
  'ISC',
  'MIT',
  'MIT-0',
  'Unlicense',
]);

/** True where an SPDX expression lets us choose allowed licences alone. Anything that is not understood is not allowed. */
function isAllowed(expression: string): boolean {
  const alternatives = expression.replace(/^\((.*)\)$/, '$1').split(' OR ');
  return alternatives.some((one) => one.split(' AND ').every((licence) => allowed.has(licence)));
}

const Listed = type('string.json.parse').to({ '[string]': type({ name: 'string' }).array() });

test('every production dependency of every package has a licence that is allowed', () => {
  const root = join(import.meta.dirname, '..');
  const listed = Listed.assert(
    execFileSync('pnpm', ['-r', 'licenses', 'list', '--prod', '--json'], { cwd: root, encoding: 'utf8' }),
  );
  const packages = Object.entries(listed).flatMap(([licence, of]) => of.map(({ name }) => ({ name, licence })));
  // A listing of something else would pass: these three are surely there.
  const names = packages.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['@aws-sdk/client-sqs', 'arktype', 'hono']));
  expect(packages.filter(({ licence }) => !isAllowed(licence))).toEqual([]);
});

test.each([
  ['MIT', true],
  ['(MIT OR GPL-3.0-only)', true],
  ['MIT AND ISC', true],
  ['MIT AND GPL-3.0-only', false],
  ['GPL-3.0-only', false],
  ['Unknown', false],
  ['SEE LICENSE IN LICENSE.md', false],
  ['', false],
])('%s is allowed: %s', (expression, expected) => {
  expect(isAllowed(expression)).toBe(expected);
});
