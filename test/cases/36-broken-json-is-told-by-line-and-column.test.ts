import { readFileSync } from 'node:fs';
import { Problem } from '@usher/contracts';
import { expect, test } from 'vitest';
import { openIntake } from '../support/open-intake.ts';
import { startWorld } from '../support/world.ts';

const input = readFileSync(new URL('inputs/nan.json', import.meta.url), 'utf8');
const row = (n: number, cost: string): string => `    {"id": "😀-${n}", "cost": ${cost}}`;
const table = (count: number, nan: number): string =>
  `{\n  "reservations": [\n${Array.from({ length: count }, (_, i) => row(i + 1, i + 1 === nan ? 'NaN' : '1')).join(',\r\n')}\n  ]\n}`;

async function detailOf(body: string): Promise<string> {
  const answer = await openIntake(await startWorld()).post('ada', 'key', body);
  const problem = Problem.assert(await answer.json());
  expect([answer.status, problem.type]).toEqual([400, '/problems/malformed-json']);
  return problem.detail;
}

test('case 36: NaN as a cost is told by line and column', async () => {
  expect(await detailOf(input)).toContain(`line 1, column ${input.indexOf('NaN') + 1} `);
});

test('case 36: in row 2,345 of a file with a row in each line it is told by that line, in characters', async () => {
  expect(await detailOf(table(3000, 2345))).toContain('line 2347, column 30 (in characters) a value was expected');
});

test.each([
  ['', 1, 1],
  ['{"reservations":[{"id":"secret"},]}', 1, 34],
  ['{"reservations":[{"id":"secret"', 1, 32],
  ["{'reservations':[]}", 1, 2],
  ['{"reservations":[{"id":secret}]}', 1, 24],
  ['{"reservations":[{"id":"a","cost":01}]}', 1, 36],
  ['{"reservations":[{"id":"secret\n"}]}', 1, 31],
  ['{\r\n"reservations" ["secret"]}', 2, 16],
])('case 36: %j is told by its place, and never by a value', async (body, line, column) => {
  const detail = await detailOf(body);
  expect(detail).toContain(`line ${line}, column ${column} `);
  expect(detail).not.toContain('secret');
});
