import type { ChaosReport } from './run-chaos.ts';

const shownDifferences = 30;

/** The report as lines to read. */
export function renderReport(report: ChaosReport): string {
  const { faults, deeds, deliveries, answers, differences } = report;
  const verdict =
    differences.length === 0
      ? 'The books balance: every promise was kept.'
      : `${differences.length} differences:\n${differences.slice(0, shownDifferences).join('\n')}`;
  return `
What was done    ${faults}
Done to calls    ${deeds}
Deliveries       ${deliveries.messages} messages to workers, ${deliveries.again} of them not for the first time
Submissions      ${answers}
Accepted         ${report.bookings} bookings of ${report.reservations} reservations, ${report.granted} of them granted
Handed on        ${report.events} events and ${report.dispatches} dispatches; ${report.repeats} came again with the same content
Took             ${Math.round(report.tookMs / 1000)} s

${verdict}`;
}
