import { BookingAccepted, Problem, problemMediaType } from '@usher/contracts';
import { expect } from 'vitest';

/** The answer to a submission that is accepted. */
export async function acceptedOf(response: Response): Promise<BookingAccepted> {
  expect(response.status).toBe(202);
  return BookingAccepted.assert(await response.json());
}

/** The problem that a refused request is answered with, in the form that every one has. */
export async function problemOf(response: Response): Promise<Problem> {
  expect(response.headers.get('content-type')).toBe(problemMediaType);
  expect(response.headers.get('cache-control')).toBe('no-store');
  const problem = Problem.assert(await response.json());
  expect(problem.status).toBe(response.status);
  return problem;
}
