import type { Due } from '../audit/pacing-check.ts';
import type { AccountSummary } from '../audit/summary.ts';
import { duration, figure, lineWidth, percent, shortened } from './figures.ts';

/** Accounts that get a picture: those with most rows. */
const pictured = 10;
const barWidth = 36;
const heights = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/** For each account, its usage beside its limit and its hand-off over time beside what its pace allows. */
export function renderPictures(accounts: readonly AccountSummary[]): string {
  const more = accounts.length > pictured ? [`… ${accounts.length - pictured} more accounts without a picture`] : [];
  return [...accounts.slice(0, pictured).flatMap((account) => [...picture(account), '']), ...more].join('\n');
}

function picture(account: AccountSummary): string[] {
  const { accountId, limit, used, burst, refillPerSecond, resetsAt } = account;
  const policy = `${burst} + ${refillPerSecond}/s, resets ${resetsAt.replace(':00.000Z', 'Z')}`;
  return [
    `${shortened(accountId, lineWidth - policy.length - 2)}  ${policy}`,
    `  used      ${usageBar(used, limit)}  ${figure(used)} of ${figure(limit)} (${percent(used, limit)} %)`,
    ...handOff(account),
  ];
}

/** Full only where the limit is reached, empty only where nothing is used; what observe mode let pass it is hatched. */
function usageBar(used: number, limit: number): string {
  const scale = Math.max(used, limit, 1);
  const within = Math.min(used, limit);
  const rounded = Math.round((within / scale) * barWidth);
  const full = within === scale ? barWidth : Math.min(barWidth - 1, Math.max(within > 0 ? 1 : 0, rounded));
  return (used > limit ? '▒' : '░')
    .padStart(full + 1, '█')
    .padEnd(barWidth, used > limit ? '▒' : '░')
    .slice(0, barWidth);
}

function handOff({ dues, burst, refillPerSecond, pacedSeconds }: AccountSummary): string[] {
  if (dues.length === 0) return ['  hand-off  nothing'];
  if (pacedSeconds === 0) return [`  hand-off  all at once: ${figure(total(dues))} of a burst of ${burst}`];
  const startMs = dues.reduce((least, { atMs }) => Math.min(least, atMs), Number.POSITIVE_INFINITY);
  // A millisecond more than from first to last, so that the last one is in the last cell too.
  const cellMs = (1000 * pacedSeconds + 1) / barWidth;
  const costs = Array.from({ length: barWidth }, () => 0);
  for (const { atMs, cost } of dues) {
    const cell = Math.floor((atMs - startMs) / cellMs);
    costs[cell] = (costs[cell] ?? 0) + cost;
  }
  const bound = dues.reduce((most, { cost }) => Math.max(most, cost), burst) + (refillPerSecond * cellMs) / 1000;
  const line = costs.map((cost) => heightOf(cost / bound)).join('');
  const scale = `█ = ${figure(Math.round(bound))} in ${duration(cellMs / 1000)}`;
  return [`  hand-off  ${line}  ${duration(pacedSeconds)}, ${scale}`];
}

function heightOf(share: number): string {
  if (share === 0) return ' ';
  return heights[Math.min(heights.length, Math.ceil(share * heights.length)) - 1] ?? '█';
}

function total(dues: readonly Due[]): number {
  return dues.reduce((sum, { cost }) => sum + cost, 0);
}
