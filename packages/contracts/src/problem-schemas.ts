import { problemExtras } from './api-examples.ts';
import type { JsonSchema } from './json-schemas.ts';
import { problemType } from './problem.ts';
import { type ProblemName, problems } from './problem-list.ts';

/** The name of one problem's schema: `InvalidBodyProblem`. */
export function problemSchemaName(name: ProblemName): string {
  return `${name.replaceAll(/(?:^|-)([a-z])/g, (_, letter: string) => letter.toUpperCase())}Problem`;
}

/** The schema of each problem, by its name: told apart by `type`, with the fields that it always has. */
export const problemSchemas: Readonly<Record<string, JsonSchema>> = Object.fromEntries(
  Object.keys(problems)
    .filter((name): name is ProblemName => Object.hasOwn(problems, name))
    .map((name) => [problemSchemaName(name), problemSchema(name)]),
);

function problemSchema(name: ProblemName): JsonSchema {
  const { status, title, meaning, remedy } = problems[name];
  return {
    description: `${title}. ${meaning} ${remedy}`,
    allOf: [{ $ref: '#/components/schemas/Problem' }],
    type: 'object',
    properties: { type: { const: problemType(name) }, title: { const: title }, status: { const: status } },
    required: Object.keys(problemExtras[name] ?? {}),
  };
}
