import { type Health, openApiDocument, type ProblemName, problemPage, problems } from '@usher/contracts';

/** An answer that is the same for everyone: JSON, made once. */
export type ConstantAnswer = Uint8Array<ArrayBuffer>;

const made = (value: unknown): ConstantAnswer => new TextEncoder().encode(JSON.stringify(value));
const isProblem = (name: string): name is ProblemName => Object.hasOwn(problems, name);

export const openApiAnswer = made(openApiDocument);
export const healthAnswer = made({ status: 'ok' } satisfies Health);
const problemAnswers = new Map(
  Object.keys(problems)
    .filter(isProblem)
    .map((name) => [name as string, made(problemPage(name))]),
);

/** The page of a problem, by the last segment of its `type`. */
export function problemAnswer(name: string): ConstantAnswer | undefined {
  return problemAnswers.get(name);
}
