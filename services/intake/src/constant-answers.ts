import { createHash } from 'node:crypto';
import { type Health, openApiDocument, type ProblemName, problemPage, problems } from '@usher/contracts';

/** An answer that is the same for everyone: JSON, made once. */
export type ConstantAnswer = Uint8Array<ArrayBuffer>;

const encoded = (value: unknown): ConstantAnswer => new TextEncoder().encode(JSON.stringify(value));
const isProblem = (name: string): name is ProblemName => Object.hasOwn(problems, name);

const openApiAnswer = encoded(openApiDocument);
/** Names the document's content: another deployment of the same code serves the same. */
const openApiTag = `"${createHash('sha256').update(openApiAnswer).digest('base64url').slice(0, 22)}"`;

/** The API description, or 304 for a client that has it (RFC 9110, section 13.1.2: tags are compared weakly). */
export function openApiResponse(ifNoneMatch: string | undefined): Response {
  const headers = { ETag: openApiTag, 'Cache-Control': 'public, max-age=3600' };
  const tags = ifNoneMatch?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  if (tags.includes(openApiTag) || tags.includes('*')) return new Response(null, { status: 304, headers });
  return new Response(openApiAnswer, { headers: { 'Content-Type': 'application/json', ...headers } });
}

export const healthAnswer = encoded({ status: 'ok' } satisfies Health);
const problemAnswers = new Map(
  Object.keys(problems)
    .filter(isProblem)
    .map((name) => [name as string, encoded(problemPage(name))]),
);

/** The page of a problem, by the last segment of its `type`. */
export function problemAnswer(name: string): ConstantAnswer | undefined {
  return problemAnswers.get(name);
}
