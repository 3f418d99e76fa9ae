import { UsherError } from '@usher/limiter-core/bulk';
import { type } from 'arktype';
import { newReport } from '../aggregate/day-report.ts';
import { type DayBefore, dayBefore } from '../aggregate/week-before.ts';
import type { QuarantineEvent } from '../model/facts.ts';
import { allZones, Correction, DayReport } from '../model/report.ts';
import type { ReportPorts } from '../ports.ts';
import type { QuarantineFact } from '../store/event-facts.ts';
import { daysAfter, quarantineDay } from '../store/quarantine-day.ts';
import type { BegunRun, DayRuns, ReportedDay } from '../store/runs.ts';
import { type AccountDay, accountDaysOf } from './account-days.ts';
import { factsOf } from './account-facts.ts';
import { parsedJson } from './parsed-json.ts';
import { eventIdOf } from './report-event.ts';

const ReportText = type('string.json.parse').to(DayReport);

/** The report of a day from all facts there are, judged by the run's instant. */
export async function makeReport(
  ports: ReportPorts,
  { date, timezone, sealed }: Omit<DayRuns, 'rev' | 'lookedAtMs'>,
  run: Pick<BegunRun, 'run' | 'nowMs' | 'deadLetters'> & { readonly carries: readonly string[] },
): Promise<DayReport> {
  const quarantined = await quarantinedAround(ports, date);
  const maker = newReport({
    date,
    timezone,
    run: run.run,
    nowMs: run.nowMs,
    previous: sealed && { state: sealed.state, eventId: eventIdOf({ date, timezone, run: sealed.run }) },
    weekBefore: await weekBefore(ports, { date, timezone }),
    corrections: await correctionsIn(ports, run.carries),
    deadLetters: run.deadLetters,
  });
  const accounts = inZone(accountDaysOf(ports, date), timezone);
  const told = { accounts: new Set<string>(), events: new Set<string>() };
  for await (const facts of factsOf(ports, accounts, { date, quarantined })) {
    maker.add(facts);
    told.accounts.add(facts.accountId);
    for (const { metadata } of facts.quarantineEvents) told.events.add(metadata.id);
  }
  if (timezone === allZones) {
    const left = [...quarantined.values()].flat().filter(({ event }) => !told.events.has(event.metadata.id));
    maker.addQuarantined(
      await nobodys(
        ports,
        left.filter((fact) => quarantineDay(fact) === date),
        told.accounts,
      ),
    );
  }
  return maker.finish();
}

/**
 * Of a day's quarantine events that no account has on this date, those that none has on another one either: they name no
 * account, one that nobody knows, or a booking that is not the account's.
 */
async function nobodys(
  { days }: Pick<ReportPorts, 'days'>,
  facts: readonly QuarantineFact[],
  known: ReadonlySet<string>,
): Promise<QuarantineEvent[]> {
  const headers = await days.headers(facts.flatMap(({ event: { data } }) => data.bookingId ?? []));
  const isAccounts = ({ accountId = '', event: { data } }: QuarantineFact): boolean =>
    data.bookingId === undefined ? known.has(accountId) : headers.get(data.bookingId)?.accountId === accountId;
  return facts.filter((fact) => !isAccounts(fact)).map(({ event }) => event);
}

/** A file that a closer wrote and needs again is gone: without it money would be lost in silence. */
export class FileGoneError extends UsherError {
  override readonly name = 'FileGoneError';

  constructor(path: string) {
    super(`${path} must be there: corrections are made of it`);
  }
}

/**
 * The corrections that files hold.
 *
 * @throws FileGoneError
 */
export async function correctionsIn(ports: ReportPorts, paths: readonly string[]): Promise<Correction[]> {
  const corrections: Correction[] = [];
  for (const path of paths) {
    const text = await ports.files.read(path);
    if (text === undefined) throw new FileGoneError(path);
    corrections.push(...Correction.array().assert(parsedJson(text)));
  }
  return corrections;
}

/** The report that a run has written; undefined where its file is gone. */
export async function reportOn(ports: ReportPorts, folder: string): Promise<DayReport | undefined> {
  const text = await ports.files.read(`${folder}/report.json`);
  return text === undefined ? undefined : ReportText.assert(text);
}

/** The day of the week before; undefined where it has no report, or one of another version: it is worth no report of its own. */
async function weekBefore(ports: ReportPorts, { date, timezone }: ReportedDay): Promise<DayBefore | undefined> {
  const before = { date: daysAfter(date, -7), timezone };
  const { sealed } = await ports.runs.read(before);
  const text = sealed && (await ports.files.read(`${sealed.folder}/report.json`));
  if (text === undefined) return undefined;
  const report = ReportText(text);
  if (!(report instanceof type.errors)) return dayBefore(report);
  ports.log.warn('A report of the week before cannot be read, and nothing is compared with it', before);
  return undefined;
}

/** Quarantine events by account, those without one under no name: a zone's day touches three days of UTC. */
async function quarantinedAround({ facts }: ReportPorts, date: string): Promise<Map<string, QuarantineFact[]>> {
  const found: QuarantineFact[] = [];
  for (const days of [-1, 0, 1]) found.push(...(await facts.quarantined(daysAfter(date, days))));
  return Map.groupBy(found, ({ accountId = '' }) => accountId);
}

async function* inZone(days: AsyncIterable<AccountDay>, timezone: string): AsyncGenerator<AccountDay> {
  for await (const day of days) if (timezone === allZones || day.timezone === timezone) yield day;
}
