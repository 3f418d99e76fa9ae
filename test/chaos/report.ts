import type { ChaosReport } from './run-chaos.ts';

const shownViolations = 30;

/** The report as lines to read. */
export function renderReport(report: ChaosReport): string {
  const { faults, hits, deliveries, answers, violations } = report;
  const result =
    violations.length === 0
      ? 'The books balance: every promise was kept.'
      : `${violations.length} violations:\n${violations.slice(0, shownViolations).join('\n')}`;
  return `
Faults           ${faults}
Calls hit        ${hits}
Deliveries       ${deliveries.messages} messages to workers, ${deliveries.redelivered} of them not for the first time
Submissions      ${answers}
Accepted         ${report.bookings} bookings of ${report.reservations} reservations, ${report.granted} of them granted
Handed on        ${report.events} events and ${report.dispatches} dispatches; ${report.repeats} came again with the same content
Took             ${Math.round(report.tookMs / 1000)} s

${result}`;
}
