import { hoursOf } from '../../aggregate/hours.ts';
import { allZones, type DayReport, type HourFigures } from '../../model/report.ts';
import { shortFigure } from './format.ts';
import { type Html, html } from './html.ts';
import { byUsage } from './page-data.ts';

/** Accounts with a strip of their own. */
const stripsMax = 12;

/** A column of the strips: an hour, its label, and the offset where the day has several. */
interface Column {
  readonly hour: string;
  readonly label: string;
  readonly offset: string;
}

/** Heat strips by hour of the account's day: tables with their numbers. */
export function heatPart(report: DayReport): Html {
  const columns = columnsOf(report);
  const offsets = new Set(columns.map(({ offset }) => offset));
  const head = columns.map(
    ({ label, offset }) =>
      html`<th scope="col">${label}${offsets.size > 1 ? html`<small>${offset}</small>` : html``}</th>`,
  );
  const { totals } = report;
  const busiest = byUsage(report.accounts)
    .slice(0, stripsMax)
    .filter(({ grantedCost }) => grantedCost > 0);
  const strips = [
    strip('All granted', valuesOf(totals.hours, columns, 'grantedCost'), 'g'),
    strip('All refused', valuesOf(totals.hours, columns, 'rejectedCost'), 'r'),
    ...busiest.map(({ accountId, hours }) => strip(accountId, valuesOf(hours, columns, 'grantedCost'), 'g')),
  ];
  return html`<section class="report-part" aria-labelledby="hours"><h2 id="hours">By hour of the account’s day</h2>
<p class="note">${zoneNote(report, columns, offsets)} Cost by the hour in which its booking was accepted; each strip is shaded by its own highest hour. Below the sums: granted cost of the busiest accounts.</p>
<div class="scroll" role="group" aria-label="Cost by hour" tabindex="0"><table class="heat"><thead><tr><th scope="col">Cost</th>${head}</tr></thead><tbody>${strips}</tbody></table></div></section>
`;
}

function zoneNote({ timezone }: DayReport, columns: readonly Column[], offsets: ReadonlySet<string>): string {
  if (timezone === allZones) return 'Hours are those of each account’s own clock.';
  const clocks =
    offsets.size > 1
      ? 'Clocks changed on this day: each hour has its offset.'
      : `Hours are ${timezone}, ${[...offsets].join()}.`;
  return columns.length === 24 && offsets.size === 1 ? clocks : `${clocks} The day has ${columns.length} of them.`;
}

function columnsOf({ timezone, bounds }: DayReport): Column[] {
  if (timezone === allZones) {
    return Array.from({ length: 24 }, (_, hour) => {
      const label = String(hour).padStart(2, '0');
      return { hour: `${label}:00`, label, offset: '' };
    });
  }
  const day = { timezone, startsAtMs: Date.parse(bounds.startsAt), resetsAtMs: Date.parse(bounds.resetsAt) };
  return hoursOf(day).map(({ hour }) => {
    const time = hour.slice(0, 5);
    return { hour, label: time.endsWith(':00') ? time.slice(0, 2) : time, offset: hour.slice(5) };
  });
}

function valuesOf(
  hours: readonly HourFigures[],
  columns: readonly Column[],
  name: 'grantedCost' | 'rejectedCost',
): number[] {
  const sums = new Map<string, number>();
  const isLocal = columns[0]?.offset === '';
  for (const hour of hours) {
    const key = isLocal ? `${hour.hour.slice(0, 2)}:00` : hour.hour;
    sums.set(key, (sums.get(key) ?? 0) + hour[name]);
  }
  return columns.map(({ hour }) => sums.get(hour) ?? 0);
}

function strip(name: string, values: readonly number[], ramp: 'g' | 'r'): Html {
  const most = Math.max(...values);
  const cells = values.map((value) => {
    if (value === 0) return html`<td class="h0">0</td>`;
    return html`<td class="${ramp}${Math.ceil((5 * value) / most)}">${shortFigure(value)}</td>`;
  });
  return html`<tr><th scope="row">${name}</th>${cells}</tr>`;
}
