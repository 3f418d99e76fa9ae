import { allZones, type DayReport } from '../../model/report.ts';
import { figure } from './format.ts';
import { Html, html, nothing } from './html.ts';
import type { PageData } from './page-data.ts';

/** All accounts and one account: the frames that the page's script fills, and the data that it fills them with. */
export function accountsPart({ accounts, timezone }: DayReport, data: PageData): Html {
  const isAll = timezone === allZones;
  const left =
    data.accounts === accounts.length
      ? nothing
      : html` The page has room for ${figure(data.accounts)}: those needing attention, and the busiest; billing.csv and report.json have all ${figure(accounts.length)}.`;
  const bare =
    data.withHours === data.accounts
      ? nothing
      : html` It holds the hours of ${figure(data.withHours)} of them; report.json has all.`;
  const columns = [
    column('id', 'Account', 'ascending'),
    isAll ? column('zone', 'Zone') : nothing,
    column('used', 'Used'),
    column('limit', 'Limit'),
    column('share', 'Share'),
    column('granted', 'Granted'),
    column('rejected', 'Refused'),
    column('observed', 'Observed'),
    column('bookings', 'Bookings'),
    column('p95', 'p95'),
    column('change', 'Week'),
  ];
  return html`<section class="report-part screen" aria-labelledby="accounts"><h2 id="accounts">All accounts</h2>
<p class="note" id="accounts-still">This table needs JavaScript. Without it, billing.csv has a row for each of the ${figure(accounts.length)} accounts.</p>
<div id="accounts-live" hidden>
<p class="note">Choose an account to see its day below.${left}${bare}</p>
<div class="tools"><label for="search">Search accounts<input id="search" type="search" autocomplete="off" spellcheck="false"></label><label for="show">Show<select id="show"><option value="all">all accounts</option><option value="attention">those needing attention</option><option value="refused">those with refusals</option><option value="active">those with bookings</option></select></label></div>
<div class="scroll" role="group" aria-label="All accounts" tabindex="0"><table id="accounts-table"><thead><tr>${columns}</tr></thead><tbody></tbody></table></div>
<div class="tools"><button type="button" id="previous">Previous</button><button type="button" id="next">Next</button><p class="status" id="accounts-status" role="status"></p></div>
</div></section>
<section id="account" aria-labelledby="account-title" class="screen" hidden><h2 id="account-title" tabindex="-1">One account</h2>
<p class="note" id="account-none">None is chosen.</p><div id="account-live"></div></section>
<script type="application/json" id="data">${new Html(data.json)}</script>
`;
}

function column(key: string, name: string, sort?: 'ascending'): Html {
  const order = sort === undefined ? nothing : new Html(` aria-sort="${sort}"`);
  const kind = key === 'id' || key === 'zone' ? nothing : new Html(' class="n"');
  return html`<th scope="col"${kind}${order}><button type="button" data-key="${key}">${name}</button></th>`;
}
