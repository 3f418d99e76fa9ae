import type { AccountReport, Correction, DayReport } from '../../model/report.ts';
import { differencesOf } from '../billing-rows.ts';
import { counted, figure, instant } from './format.ts';
import { type Html, html, nothing } from './html.ts';
import { rest, tableOf, tableRowsMax } from './table.ts';
import { differenceWords, reconciliationWords } from './words.ts';

/** Corrections of earlier days that are final. */
export function correctionsPart({ corrections }: DayReport): Html {
  const rows = corrections.slice(0, tableRowsMax).map(correctionRow);
  return html`<section class="report-part" aria-labelledby="corrections"><h2 id="corrections">Corrections</h2>
<p class="note">Later facts about days whose reports are final. Those stay as they are; billing takes up the difference here.</p>
${tableOf('Corrections', ['Day', 'Account', 'n:Granted cost before', 'n:now', 'n:Difference', 'n:Refused cost, difference', 'Found'], rows)}
${rest(corrections.length)}</section>
`;
}

function correctionRow(correction: Correction): Html {
  const { date, timezone, accountId, before, after, foundAt } = correction;
  const { grantedCost, rejectedCost } = differencesOf(correction);
  return html`<tr><td><time datetime="${date}">${date}</time> <span class="muted">${timezone}</span></td><th scope="row" class="id">${accountId}</th><td class="n">${figure(before.grantedCost)}</td><td class="n">${figure(after.grantedCost)}</td><td class="n">${signed(grantedCost)}</td><td class="n">${signed(rejectedCost)}</td><td>${instant(foundAt)}</td></tr>`;
}

function signed(value: number): string {
  if (value === 0) return '0';
  return value > 0 ? `+${figure(value)}` : `−${figure(-value)}`;
}

/** Reconciliation, and what is missing by name. */
export function reconciliationPart({ reconciliation, accounts, missing }: DayReport): Html {
  const states = (['agrees', 'drift', 'moved', 'unknown'] as const).map(
    (state) =>
      html`<dt>${reconciliationWords[state]}</dt><dd class="${state === 'drift' && reconciliation.drift > 0 ? 'bad' : ''}">${counted(reconciliation[state], 'account')}</dd>`,
  );
  const drifting = accounts.filter((account) => account.reconciliation.state === 'drift');
  const rows = drifting.slice(0, tableRowsMax).flatMap(driftRows);
  const named = missing
    .slice(0, tableRowsMax)
    .map(
      ({ accountId, bookingId, kind, chunks, count }) =>
        html`<tr><th scope="row" class="id">${accountId}</th><td class="id">${bookingId}</td><td class="id">${missingText({ kind, chunks, count })}</td></tr>`,
    );
  const driftTable =
    rows.length === 0
      ? nothing
      : html`<h3>Drift</h3>${tableOf('Drift', ['Account', 'Figure', 'n:Counter', 'n:Events', 'n:Ledger'], rows)}${rest(drifting.length)}`;
  return html`<section class="report-part" aria-labelledby="reconciliation"><h2 id="reconciliation">Reconciliation</h2>
<p class="note">The account’s counter, the sum of its events and the sum of its ledger, compared where the counter did not move meanwhile.</p>
<dl class="list">${states}</dl>
${driftTable}
<h3 id="missing">Missing</h3>
${tableOf('Missing', ['Account', 'Booking', 'Missing'], named)}${rest(missing.length)}</section>
`;
}

function driftRows({ accountId, timezone, reconciliation }: AccountReport): Html[] {
  const cell = (value: number | null): Html => html`<td class="n">${value === null ? 'not read' : figure(value)}</td>`;
  return reconciliation.differences.map(
    ({ figure: name, counter, events, ledger }) =>
      html`<tr><th scope="row" class="id">${accountId} <span class="muted">${timezone}</span></th><td>${differenceWords[name]}</td>${cell(counter)}${cell(events)}${cell(ledger)}</tr>`,
  );
}

function missingText({
  kind,
  chunks,
  count,
}: {
  readonly kind: DayReport['missing'][number]['kind'];
  readonly chunks: string | undefined;
  readonly count: number;
}): string {
  if (kind === 'header') return 'its header: events name it, the store does not';
  if (kind === 'acceptance') return 'not accepted yet; it can still be resumed';
  const ranges = chunks ?? '';
  return `${counted(count, 'chunk')}: ${ranges.length > 60 ? `${ranges.slice(0, 60)}…` : ranges}`;
}

/** Events that came late, and those that came again. */
export function eventsPart({ totals, lateEvents }: DayReport): Html {
  const rows = lateEvents
    .slice(0, tableRowsMax)
    .map(
      ({ accountId, eventId, receivedAt }) =>
        html`<tr><th scope="row" class="id">${accountId}</th><td class="id">${eventId}</td><td>${instant(receivedAt)}</td></tr>`,
    );
  const table = rows.length === 0 ? nothing : tableOf('Late events', ['Account', 'Event', 'Received'], rows);
  return html`<section class="report-part" aria-labelledby="late"><h2 id="late">Late and repeated events</h2>
<p class="note">${counted(totals.late, 'event')} came after the window closed and the time allowed had passed; ${counted(totals.repeats, 'delivery').replace(/deliverys$/, 'deliveries')} repeated an event that was there, and changed no figure.</p>
${table}${rest(totals.late)}</section>
`;
}
