import type { UsageEvent } from '../model/facts.ts';
import type { LimitFrom } from '../model/report.ts';

/** The limits of a day in the order in which decisions went by them: one for each change, the first included. */
export function limitsOf(events: readonly UsageEvent[]): LimitFrom[] {
  const decided = events.map(({ data, metadata }) => ({ from: data.decidedAt, limit: data.limit, id: metadata.id }));
  decided.sort((a, b) => compareText(a.from, b.from) || a.limit - b.limit || compareText(a.id, b.id));
  return decided.flatMap(({ from, limit }, i) => (decided[i - 1]?.limit === limit ? [] : [{ from, limit }]));
}

/** Orders texts by their code units, which sets instants in order of time. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
