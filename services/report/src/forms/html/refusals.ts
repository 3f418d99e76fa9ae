import { rejectReasons } from '@usher/limiter-core/bulk';
import type { ByReason } from '../../model/figures.ts';
import { allZones, type DayReport } from '../../model/report.ts';
import { bar } from './bars.ts';
import { counted, figure, percent } from './format.ts';
import { type Html, html, nothing } from './html.ts';
import { accountLink } from './link.ts';
import { attentionWords, reasonWords, urgent } from './words.ts';

/** The accounts that need attention. */
export function attentionPart({ attention, accounts, timezone: zone }: DayReport): Html {
  const byKey = new Map(accounts.map((account) => [`${account.timezone} ${account.accountId}`, account]));
  const rows = attention.map(({ accountId, timezone, reasons }) => {
    const account = byKey.get(`${timezone} ${accountId}`);
    const tags = reasons.map(
      (reason) => html`<li class="${urgent.has(reason) ? 'bad' : ''}">${attentionWords[reason]}</li>`,
    );
    return html`<tr><th scope="row" class="id">${accountLink({ accountId, timezone })}${zone === allZones ? html`<br><small class="muted">${timezone}</small>` : nothing}</th><td><ul class="tags">${tags}</ul></td><td class="n">${figure(account?.used ?? 0)}</td><td class="n wide">${account?.weekBefore ? figure(account.weekBefore.used) : '–'}</td><td class="n">${figure(account?.rejected ?? 0)}</td></tr>`;
  });
  const table =
    rows.length === 0
      ? html`<p class="note">No account does.</p>`
      : html`<div class="scroll" role="group" aria-label="Accounts needing attention" tabindex="0"><table><thead><tr><th scope="col">Account</th><th scope="col">For</th><th scope="col" class="n">Used</th><th scope="col" class="n wide">A week before</th><th scope="col" class="n">Refused</th></tr></thead><tbody>${rows}</tbody></table></div>`;
  return html`<section class="report-part" aria-labelledby="attention"><h2 id="attention">Accounts needing attention</h2>
<p class="note">At most 20, by weight: drift, missing data, dead letters, quarantined messages, refusals, a large change against the week before, late events.</p>
${table}</section>
`;
}

/** Refusals by reason: those that held, and apart from them those that observe mode granted all the same. */
export function refusalsPart({ totals }: DayReport): Html {
  const observed =
    totals.wouldReject === 0
      ? nothing
      : html`<h3>Observed: granted all the same</h3>
<p class="note">Observe mode granted these ${counted(totals.wouldReject, 'reservation')}; enforce mode would have refused them. They are in no figure of refusals.</p>
${reasonTable('Observed refusals by reason', totals.wouldRejectByReason, totals.wouldReject)}`;
  const held =
    totals.rejected === 0
      ? html`<p class="note">None.</p>`
      : reasonTable('Refusals by reason', totals.rejectedByReason, totals.rejected);
  return html`<section class="report-part" aria-labelledby="refusals"><h2 id="refusals">Refusals by reason</h2>
<p class="note">${counted(totals.rejected, 'reservation')} of ${figure(totals.granted + totals.rejected)} refused, in ${counted(totals.refusedAccounts, 'account')}.</p>
${held}
${observed}</section>
`;
}

function reasonTable(name: string, byReason: ByReason, all: number): Html {
  const rows = rejectReasons.flatMap((reason) => {
    const amount = byReason[reason];
    if (amount === undefined) return [];
    const { count, cost } = amount;
    return [
      html`<tr><th scope="row">${reasonWords[reason]}<span class="unseen"> (${reason})</span></th><td class="chart">${bar({ value: count, limit: all, scale: all, kind: 'warn' })}</td><td class="n">${figure(count)}</td><td class="n">${percent(count / all)}</td><td class="n wide">${figure(cost)}</td></tr>`,
    ];
  });
  return html`<div class="scroll" role="group" aria-label="${name}" tabindex="0"><table><thead><tr><th scope="col">Reason</th><th scope="col"><span class="unseen">Bar</span></th><th scope="col" class="n">Reservations</th><th scope="col" class="n">Share</th><th scope="col" class="n wide">Cost</th></tr></thead><tbody>${rows}</tbody></table></div>`;
}
