import { createHash } from 'node:crypto';
import type { DayReport } from '../model/report.ts';

/** The digest of what a report says, without the instants at which it looked: equal where a new run would say nothing new. */
export function saidDigest({
  run,
  generatedAt,
  supersedes,
  deadLetters,
  accounts,
  totals,
  zones,
  ...said
}: DayReport): string {
  const hash = createHash('sha256').update(JSON.stringify([said, withoutBacklog(totals), zones.map(withoutBacklog)]));
  for (const account of accounts) hash.update(JSON.stringify(withoutBacklog(account)));
  return hash.digest('hex');
}

function withoutBacklog<T extends { readonly backlog: unknown }>({ backlog, ...rest }: T): Omit<T, 'backlog'> {
  return rest;
}
