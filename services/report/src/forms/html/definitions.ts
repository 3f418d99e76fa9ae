import { closingGraceMs, finalAfterMs } from '../../aggregate/state.ts';
import type { DayReport } from '../../model/report.ts';
import { duration } from './format.ts';
import { type Html, html } from './html.ts';

/** The meanings of the page's words, and where the figures are for programs. */
export function definitionsPart({ schemaVersion }: DayReport): Html {
  const terms = definitions.map(([term, meaning]) => html`<dt>${term}</dt><dd>${meaning}</dd>`);
  return html`<section class="report-part" aria-labelledby="definitions"><h2 id="definitions">Definitions and schema</h2>
<dl class="list">${terms}</dl>
<p class="note">The same figures for programs: report.json (schema version ${schemaVersion}, <span class="id">daily-report.schema.json</span>) and billing.csv (RFC 4180, ids byte for byte); for spreadsheets spreadsheet.csv, whose formulas are defused.</p></section>
`;
}

const definitions: readonly (readonly [term: string, meaning: string])[] = [
  [
    'Day',
    'The account’s local day in which its bookings were accepted, from its first instant to just before the next day’s.',
  ],
  ['Used', 'Granted cost of the day, as the account’s counter has it; the events’ sum where the counter was not read.'],
  [
    'Granted, refused',
    'Reservations decided for and against, with their cost, as the events have them. A repeated event counts once.',
  ],
  [
    'Observed',
    'Reservations that observe mode granted and enforce mode would have refused. They are a part of granted.',
  ],
  ['Limit', 'The limit that the last decision of the day went by.'],
  [
    'Median, 95th percentile',
    'Of the time from a booking’s acceptance to a chunk’s decision, over chunks, by nearest rank: the ⌈p·n⌉-th smallest of n.',
  ],
  ['Week', 'The change of usage against the same weekday, seven days before.'],
  ['Missing', 'A booking that can still be resumed, or a chunk that is neither decided nor in quarantine.'],
  [
    'Complete',
    `The day is over for ${duration(closingGraceMs)} and nothing of it is missing. The report may still be written anew.`,
  ],
  ['Final', `${finalAfterMs / 3_600_000} hours after the day’s end. It stays as it is.`],
];
