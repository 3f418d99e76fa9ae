import type { DayReport } from '../../model/report.ts';
import { allZones } from '../../model/report.ts';
import { counted, duration, figure, instant, longDate, percent, weekBeforeName } from './format.ts';
import { type Html, html, nothing } from './html.ts';
import { tableOf } from './table.ts';
import { runbookHeading, stateWords } from './words.ts';

const stateNotes = {
  provisional: 'something of the day can still be undecided',
  complete: 'nothing of the day is undecided',
  final: 'never rewritten; later facts are corrections of later reports',
} as const;

/** Title, state, run and bounds. */
export function titlePart(report: DayReport): Html {
  const { date, timezone, state, run, generatedAt, bounds, supersedes } = report;
  const replaced =
    supersedes === undefined ? nothing : html`<div><dt>Supersedes</dt><dd class="id">${supersedes}</dd></div>`;
  return html`<header class="report-part">
<p class="eyebrow">Daily quota report</p>
<h1>${longDate(date)}, ${timezone === allZones ? `all zones (${figure(report.zones.length)})` : timezone}</h1>
<dl class="facts">
<div><dt>State</dt><dd><span class="state state-${state}">${stateWords[state]}</span> – ${stateNotes[state]}</dd></div>
<div><dt>Run</dt><dd>${figure(run)}, at ${instant(generatedAt)}</dd></div>
<div><dt>Day</dt><dd>${instant(bounds.startsAt)} to ${instant(bounds.resetsAt)}</dd></div>
<div><dt>Final from</dt><dd>${instant(bounds.finalAt)}</dd></div>
${replaced}</dl>
${zonesPart(report)}</header>
`;
}

/** The red band: there only where there is drift, missing data or a dead letter. */
export function bandPart(report: DayReport): Html {
  const letters = report.deadLetters.filter(({ messages }) => messages > 0);
  const lines = [
    report.reconciliation.drift > 0
      ? html`<li>Drift in <a href="#reconciliation">${counted(report.reconciliation.drift, 'account')}</a>: counter, events and ledger differ.</li>`
      : nothing,
    report.missing.length > 0
      ? html`<li>Missing: <a href="#missing">${missingText(report.missing)}</a>.</li>`
      : nothing,
    letters.length === 0 && lettersOf(report.accounts) > 0
      ? html`<li>${counted(lettersOf(report.accounts), 'dead letter')} that name an account.</li>`
      : nothing,
    ...letters.map(
      ({ queue, messages, lookedAt }) =>
        html`<li>${counted(messages, 'dead letter')} in <span class="id">${queue}</span> at ${instant(lookedAt)}.</li>`,
    ),
  ].filter((line) => line !== nothing);
  if (lines.length === 0) return nothing;
  return html`<section class="band report-part" aria-labelledby="band-title"><h2 id="band-title">Needs an operator</h2><ul>${lines}</ul><p>What to do: docs/runbook.md, “${runbookHeading}”.</p></section>
`;
}

function lettersOf(accounts: DayReport['accounts']): number {
  return accounts.reduce((sum, { deadLetters }) => sum + (deadLetters ?? 0), 0);
}

/** Names what is missing in all: chunks, bookings that can be resumed, headers. */
function missingText(missing: DayReport['missing']): string {
  const of = (kind: DayReport['missing'][number]['kind']) => missing.filter((one) => one.kind === kind);
  const chunks = of('chunks').reduce((sum, { count }) => sum + count, 0);
  return [
    chunks > 0 ? `${counted(chunks, 'chunk')} of ${counted(of('chunks').length, 'booking')}` : '',
    of('acceptance').length > 0 ? `${counted(of('acceptance').length, 'booking')} not accepted yet` : '',
    of('header').length > 0 ? `${counted(of('header').length, 'header')}` : '',
  ]
    .filter((text) => text !== '')
    .join(', ');
}

/** Five figures against the same weekday before. */
export function figuresPart({ date, totals }: DayReport): Html {
  const before = totals.weekBefore;
  const items = (
    [
      ['Quota used (cost)', totals.used, before?.used],
      ['Reservations granted', totals.granted, before?.granted],
      ['Reservations refused', totals.rejected, before?.rejected],
      ['Bookings', totals.bookings, before?.bookings],
      ['Active accounts', totals.activeAccounts, before?.activeAccounts],
    ] as const
  ).map(
    ([name, value, was]) =>
      html`<li><span class="name">${name}</span><b class="${figure(value).length > 11 ? 'long' : ''}">${figure(value)}</b>${changeOf(value, was)}</li>`,
  );
  return html`<ul class="figures report-part" aria-label="The day in five figures, against the same weekday before">${items}</ul>
<p class="note report-part">${before === null ? 'There is no report of the same weekday before to compare with.' : `Changes against ${weekBeforeName(date)}, the same weekday before.`}</p>
`;
}

function changeOf(value: number, was: number | undefined): Html {
  if (was === undefined) return nothing;
  return html`<span class="change">${stepOf(value, was)}<span class="was">from ${figure(was)}</span></span>`;
}

function stepOf(value: number, was: number): Html {
  if (value === was) return html`unchanged`;
  const [arrow, word] = value > was ? ['▲', 'up'] : ['▼', 'down'];
  const much = was === 0 ? 'from none' : percent(Math.abs(value / was - 1));
  return html`<span aria-hidden="true">${arrow} </span><span class="unseen">${word} </span>${much}`;
}

/** Latency and backlog. */
export function pacePart({ totals, deadLetters, accounts, missing }: DayReport): Html {
  const { latency, backlog } = totals;
  const letters =
    deadLetters.length === 0
      ? html`not looked at`
      : deadLetters.map(
          ({ queue, messages, lookedAt }, at) =>
            html`${at === 0 ? '' : '; '}<span class="id">${queue}</span>: <span class="${messages > 0 ? 'bad' : ''}">${figure(messages)}</span>, at ${instant(lookedAt)}`,
        );
  const putAside = Object.entries(totals.quarantinedByReason).map(
    ([reason, count]) => `${reason.replaceAll('_', ' ')} ${figure(count)}`,
  );
  return html`<div class="pair report-part">
<section aria-labelledby="latency"><h2 id="latency">From acceptance to decision</h2>
<dl class="list"><dt>Median</dt><dd>${latency === null ? 'nothing decided' : duration(latency.p50Ms)}</dd><dt>95th percentile</dt><dd>${latency === null ? '–' : duration(latency.p95Ms)}</dd><dt>Chunks decided</dt><dd>${figure(totals.chunks)}</dd><dt>Missing</dt><dd>${missing.length === 0 ? 'nothing' : missingText(missing)}</dd></dl></section>
<section aria-labelledby="backlog"><h2 id="backlog">Waiting and put aside</h2>
<dl class="list"><dt>Hand-off backlog</dt><dd>${backlogText(backlog, accounts.length)}</dd><dt>Dead letters</dt><dd>${letters}</dd><dt>Quarantined</dt><dd>${counted(totals.quarantined, 'message')}${putAside.length === 0 ? '' : `: ${putAside.join(', ')}`}</dd></dl></section>
</div>
`;
}

function backlogText(backlog: DayReport['totals']['backlog'], accounts: number): Html {
  if (backlog === null) return html`${accounts === 0 ? 'no account' : 'not looked at'}`;
  const end =
    backlog.clearsAt === null || backlog.cost === 0 ? nothing : html`; the last is due ${instant(backlog.clearsAt)}`;
  return html`cost ${figure(backlog.cost)}, at ${instant(backlog.lookedAt)}${end}`;
}

/** The zones of a report over all of them. */
function zonesPart({ timezone, zones }: DayReport): Html {
  if (timezone !== allZones) return nothing;
  const rows = zones
    .slice(0, 600)
    .map(
      (zone) =>
        html`<tr><th scope="row">${zone.timezone}</th><td>${instant(zone.startsAt)}</td><td>${instant(zone.resetsAt)}</td><td><span class="state-${zone.state}">${zone.state}</span></td><td class="n">${figure(zone.accounts)}</td><td class="n">${figure(zone.used)}</td><td class="n">${figure(zone.granted)}</td><td class="n">${figure(zone.rejected)}</td></tr>`,
    );
  return html`<details><summary>Bounds and figures of each zone</summary>
${tableOf('By zone', ['Zone', 'From', 'To', 'State', 'n:Accounts', 'n:Used', 'n:Granted', 'n:Refused'], rows)}</details>
`;
}
