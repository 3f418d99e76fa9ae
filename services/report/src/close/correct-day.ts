import { isWindowKept } from '@usher/limiter-core/bulk';
import { correctionsOf } from '../aggregate/corrections.ts';
import type { ReportPorts } from '../ports.ts';
import type { DayRuns, SealedRun } from '../store/runs.ts';
import { correctionsIn, FileGoneError, makeReport, reportOn } from './make-report.ts';

/**
 * Looks at a day whose report is final, for facts that came later. Its report stays as it is: what differs goes to a file of
 * corrections, which a report of a later day carries. `busy`: another closer has noted corrections of the day meanwhile.
 *
 * @throws FileGoneError
 */
export async function correctDay(ports: ReportPorts, day: DayRuns, sealed: SealedRun): Promise<'looked' | 'busy'> {
  const { date, timezone } = day;
  const nowMs = ports.clock();
  const final = await reportOn(ports, sealed.folder);
  if (final === undefined) throw new FileGoneError(`${sealed.folder}/report.json`);
  const known = (await ports.runs.corrections(timezone)).filter((file) => file.date === date);
  const earlier = await correctionsIn(
    ports,
    known.map(({ path }) => path),
  );
  const anew = await makeReport(
    ports,
    { date, timezone },
    { run: sealed.run + 1, nowMs, deadLetters: [], carries: [] },
  );
  const found = correctionsOf({ final, earlier, anew, isCounterKept: isWindowKept(date, nowMs) });
  if (found.length > 0) {
    const number = (known.at(-1)?.number ?? 0) + 1;
    // A name of its own: of two closers at once neither writes over what the other has noted.
    const path = `${date}/${timezone}/corrections-${number}-${ports.randomId()}.json`;
    await ports.files.put(path, { mediaType: 'application/json', content: [`${JSON.stringify(found)}\n`] });
    if (!(await ports.runs.addCorrection({ date, timezone, number, path }))) return 'busy';
  }
  await ports.runs.write({ ...day, lookedAtMs: nowMs });
  return 'looked';
}
