import { type AccountReport, allZones, type DayReport } from '../../model/report.ts';
import { bar } from './bars.ts';
import { figure, percent, timeOf } from './format.ts';
import { type Html, html, nothing } from './html.ts';
import { accountLink } from './link.ts';
import { byUsage } from './page-data.ts';

/** The busiest accounts that the page shows without JavaScript. */
export const busiestMax = 100;

/** Ticks on one bar, and limits told beside it, at most: two workers that know of a change at different times make it many. */
const ticksMax = 20;
const stepsMax = 4;

/** The busiest accounts against their limits, with a tick at each earlier limit. */
export function busiestPart({ accounts, timezone, date }: DayReport): Html {
  const busiest = byUsage(accounts)
    .slice(0, busiestMax)
    .filter(({ used }) => used > 0);
  const isAll = timezone === allZones;
  const zone = isAll ? html`<th scope="col" class="wide">Zone</th>` : nothing;
  const rows = busiest.map((account) => busiestRow(account, isAll));
  const table =
    rows.length === 0
      ? html`<p class="note">No account used any of its quota on ${date}.</p>`
      : html`<div class="scroll" role="group" aria-label="The busiest accounts" tabindex="0"><table class="dense"><thead><tr><th scope="col">Account</th>${zone}<th scope="col"><span class="unseen">Bar of usage against the limit</span></th><th scope="col" class="n">Used</th><th scope="col" class="n">Limit</th><th scope="col" class="n wide">Share</th><th scope="col" class="n wide">Refused</th></tr></thead><tbody>${rows}</tbody></table></div>`;
  return html`<section class="report-part" aria-labelledby="busiest"><h2 id="busiest">The ${rows.length < 2 ? '' : `${figure(rows.length)} `}busiest against their limits</h2>
<p class="note">A tick marks a limit that held earlier in the day. Where the bar passes its track, the limit was lowered, or observe mode granted more.</p>
${table}</section>
`;
}

function busiestRow(account: AccountReport, isAll: boolean): Html {
  const { timezone, used, limit, limits, shareOfLimit, rejected } = account;
  const earlier = [...new Set(limits.slice(0, -1).map((one) => one.limit))].slice(0, ticksMax);
  const scale = Math.max(used, limit ?? used, ...earlier);
  const picture = bar({
    value: used,
    limit: limit ?? 0,
    scale,
    ticks: earlier,
    ...(limit !== null && used > limit ? { kind: 'warn' } : {}),
  });
  const zone = isAll ? html`<td class="wide muted">${timezone}</td>` : nothing;
  const share = shareOfLimit === null ? '–' : percent(shareOfLimit);
  return html`<tr><th scope="row" class="id">${accountLink(account)}${changesOf(limits)}</th>${zone}<td class="chart">${picture}</td><td class="n">${figure(used)}</td><td class="n">${limit === null ? '–' : figure(limit)}</td><td class="n wide">${share}</td><td class="n wide">${figure(rejected)}</td></tr>`;
}

function changesOf(limits: AccountReport['limits']): Html {
  if (limits.length < 2) return nothing;
  const steps = limits
    .slice(0, stepsMax)
    .map(({ limit, from }, at) =>
      at === 0 ? html`limit ${figure(limit)}` : html` → ${figure(limit)} at ${timeOf(from)}`,
    );
  return html`<br><small class="muted">${steps}${limits.length > stepsMax ? ` and ${figure(limits.length - stepsMax)} more` : ''}</small>`;
}
