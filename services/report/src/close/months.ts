import { sealOf } from '../forms/file.ts';
import { type BilledDay, MonthError, monthFiles } from '../forms/month.ts';
import { allZones } from '../model/report.ts';
import type { ReportPorts } from '../ports.ts';
import { daysAfter } from '../store/quarantine-day.ts';
import { factsKeptMs, type Progress, type SealedRun } from '../store/runs.ts';

/** The first month with a date whose reports are not all final. */
export function firstOpenMonth(finalThrough: string): string {
  return monthOf(daysAfter(finalThrough, 1));
}

export function monthBefore(month: string): string {
  return monthOf(daysAfter(`${month}-01`, -1));
}

/** The months that are over and not written, the oldest first. A month is over once all reports of its last date are final. */
export function dueMonths({ finalThrough, monthsThrough }: Pick<Progress, 'finalThrough' | 'monthsThrough'>): string[] {
  const months: string[] = [];
  for (let month = monthAfter(monthsThrough); month < firstOpenMonth(finalThrough); month = monthAfter(month)) {
    months.push(month);
  }
  return months;
}

/**
 * Writes the files of a month that is over, from the final reports over all zones. Those never change, so that a repeat writes
 * the same bytes. Dates without a report, because nobody had an account or reports began later, have no rows.
 *
 * @throws MonthError
 */
export async function writeMonth(ports: MonthPorts, month: string): Promise<void> {
  const reports = await reportsOf(ports, month);
  for (const file of monthFiles(month, () => billedDays(ports, reports))) {
    await ports.files.put(`months/${month}/${file.name}`, file);
  }
  ports.log.info('A month was written', { month, days: reports.length });
}

type MonthPorts = Pick<ReportPorts, 'runs' | 'files' | 'clock' | 'log'>;

interface FinalReport {
  readonly date: string;
  readonly sealed: SealedRun;
}

async function reportsOf({ runs, clock }: Pick<MonthPorts, 'runs' | 'clock'>, month: string): Promise<FinalReport[]> {
  const reports: FinalReport[] = [];
  for (let date = `${month}-01`; monthOf(date) === month; date = daysAfter(date, 1)) {
    const { sealed } = await runs.read({ date, timezone: allZones });
    if (sealed !== undefined) reports.push({ date, sealed });
    else if (clock() >= Date.parse(date) + factsKeptMs) {
      throw new MonthError(`${month} may have had a report of ${date}: its run is no longer kept`);
    }
  }
  return reports;
}

async function* billedDays(
  { files }: Pick<MonthPorts, 'files'>,
  reports: readonly FinalReport[],
): AsyncGenerator<BilledDay> {
  for (const { date, sealed } of reports) {
    const name = `${sealed.folder}/billing.csv`;
    const seal = sealed.files.find((file) => file.name === name);
    const billing = await files.read(name);
    if (billing === undefined) throw new MonthError(`${name} must be there: the month is made of it`);
    const { sha256 } = sealOf({ name, mediaType: '', content: [billing] });
    if (sha256 !== seal?.sha256) {
      throw new MonthError(`${name} must be the file that its run sealed, SHA-256 ${seal?.sha256} (was ${sha256})`);
    }
    yield { date, billing };
  }
}

function monthAfter(month: string): string {
  return monthOf(daysAfter(`${month}-28`, 4));
}

function monthOf(date: string): string {
  return date.slice(0, 7);
}
