import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { Problem, ProblemPage, problemOf, problemPage, problemType } from './problem.ts';
import { problems } from './problem-list.ts';

const document = readFileSync(new URL('../../../docs/problems.md', import.meta.url), 'utf8');
const names = Object.keys(problems).filter((name): name is keyof typeof problems => name in problems);

/** The document's text about each problem, on one line, by its heading. */
const sections = new Map(
  document
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [heading = '', ...lines] = section.split('\n');
      return [heading, lines.join(' ').replaceAll(/ +/g, ' ').trim()];
    }),
);

test('docs/problems.md has one heading for each problem, and no other', () => {
  expect([...sections.keys()]).toEqual(names);
});

test.each(names)('docs/problems.md says of %s what its page says', (name) => {
  const { status, title, meaning, remedy } = problems[name];
  expect(sections.get(name)).toBe(`${status}. ${title}. ${meaning} ${remedy}`);
  expect(ProblemPage.allows(problemPage(name))).toBe(true);
  expect(problemPage(name).type).toBe(problemType(name));
});

test('a problem says beside its sentence what it is given, and nothing else', () => {
  expect(problemOf('not-found', 'Nothing.')).toEqual({
    type: '/problems/not-found',
    title: 'There is nothing here',
    status: 404,
    detail: 'Nothing.',
  });
  const extras = { requestId: 'r-1', errors: [{ parameter: 'from', detail: 'must be a day' }], errorCount: 1 };
  const problem = problemOf('invalid-query', 'A parameter is wrong.', extras);
  expect(Problem.assert(problem)).toMatchObject(extras);
  expect(Problem.allows({ ...problem, requestId: 'r\n1' })).toBe(false);
});
