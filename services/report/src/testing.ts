export { MemoryEventFacts } from './store/memory-event-facts.ts';
export { MemoryReportFiles } from './store/memory-report-files.ts';
export { MemoryRuns } from './store/memory-runs.ts';
