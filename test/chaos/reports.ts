import { builtInPolicy, windowOn } from '@usher/limiter-core/bulk';
import type { Queues, StackClients } from '@usher/local-stack';
import { reportPorts } from '@usher/local-stack/testing';
import { allZones, closingGraceMs, type DayReport, makeReport } from '@usher/report';
import { silentLog } from '../support/silent-log.ts';

/** The reports of days over all zones, as a closer makes them when the days have just ended. */
export async function reportsOf(
  { clients, queues }: { readonly clients: StackClients; readonly queues: Queues },
  dates: Iterable<string>,
): Promise<DayReport[]> {
  const reports: DayReport[] = [];
  for (const date of dates) {
    const nowMs = Date.parse(windowOn(date, builtInPolicy.timezone).resetsAt) + closingGraceMs;
    const ports = reportPorts(clients, queues, {
      clock: () => nowMs,
      log: silentLog,
      defaultPolicy: builtInPolicy,
      // No report was written before, so none is read.
      reportsDir: '',
    });
    const day = { date, timezone: allZones };
    reports.push(await makeReport(ports, day, { run: 1, nowMs, deadLetters: [], carries: [] }));
  }
  return reports;
}
