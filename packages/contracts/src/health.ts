import { type } from 'arktype';

/** The answer of `GET /health`. */
export const Health = type({ '+': 'reject', status: "'ok'" });
export type Health = typeof Health.infer;
