import { correctionsOf } from '../aggregate/corrections.ts';
import type { ReportPorts } from '../ports.ts';
import type { DayRuns, SealedRun } from '../store/runs.ts';
import { correctionsIn, makeReport, reportOn } from './make-report.ts';

/**
 * Looks at a day whose report is final, for facts that came later. Its report stays as it is: what differs goes to a file of
 * corrections, which a report of a later day carries.
 */
export async function correctDay(ports: ReportPorts, day: DayRuns, sealed: SealedRun): Promise<void> {
  const { date, timezone } = day;
  const nowMs = ports.clock();
  const final = await reportOn(ports, sealed.folder);
  if (final !== undefined) {
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
    const found = correctionsOf({ final, earlier, anew });
    if (found.length > 0) {
      const path = `${date}/${timezone}/corrections-${known.length + 1}.json`;
      await ports.files.put(path, { mediaType: 'application/json', content: [`${JSON.stringify(found)}\n`] });
      await ports.runs.putCorrection({ date, timezone, path });
    }
  }
  await ports.runs.write({ ...day, lookedAtMs: nowMs });
}
