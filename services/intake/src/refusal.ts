import { type ProblemExtras, type ProblemName, problemMediaType, problemOf, problems } from '@usher/contracts';

/** The fields of a problem that a refusal may set. */
type Extras = Omit<ProblemExtras, 'requestId'>;

/** A refusal of a request, as a value: its problem, a sentence for people, and the headers that the answer must have. */
export interface Refusal {
  readonly kind: 'refused';
  readonly problem: ProblemName;
  readonly detail: string;
  readonly fields?: Extras;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Makes a refusal. */
export function refusal(problem: ProblemName, detail: string, more: Pick<Refusal, 'fields' | 'headers'> = {}): Refusal {
  return { kind: 'refused', problem, detail, ...more };
}

/** The answer that tells a refusal: problem+json (RFC 9457). */
export function problemResponse({ problem, detail, fields, headers }: Refusal, requestId: string): Response {
  return new Response(JSON.stringify(problemOf(problem, detail, { ...fields, requestId })), {
    status: problems[problem].status,
    headers: { 'Content-Type': problemMediaType, ...frameHeaders(requestId), ...headers },
  });
}

/** The headers of every answer. */
export function frameHeaders(requestId: string): Record<string, string> {
  return { 'Cache-Control': 'no-store', 'X-Request-Id': requestId };
}
