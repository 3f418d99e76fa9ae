import { systemClock } from '@usher/limiter-core/bulk';
import { writeMonth } from '../close/months.ts';
import { billingColumns } from '../forms/billing-rows.ts';
import { csvLine } from '../forms/csv.ts';
import { fileOf, sealOf } from '../forms/file.ts';
import { allZones } from '../model/report.ts';
import { S3ReportFiles } from '../s3-report-files.ts';
import { MemoryRuns } from '../store/memory-runs.ts';
import { noRuns, type SealedRun } from '../store/runs.ts';
import { madeUpBucket } from '../testing/made-up-bucket.ts';

/**
 * Seconds and peak memory of a month of 31 days of ten thousand accounts. The days' files are made up as the SDK asks for them,
 * and what it sends is counted and let go, so that what is measured is the closer with its client of S3.
 */
const month = '2026-10';
const accounts = 10_000;
const dates = Array.from({ length: 31 }, (_, at) => `${month}-${String(at + 1).padStart(2, '0')}`);

function* billing(date: string): Generator<string> {
  yield csvLine(billingColumns);
  for (let at = 0; at < accounts; at++) {
    const bounds = [`${date}T04:00:00.000Z`, `${date}T03:59:59.999Z`];
    const figures = [100_000, 27_431 + at, 10_000, 27_431 + at, 132, 396, 0, 0, 12];
    yield csvLine([
      'usage',
      date,
      'America/New_York',
      `agency-${String(at).padStart(5, '0')}`,
      ...bounds,
      ...figures,
      'final',
      2,
    ]);
  }
}

const totals = { accounts, granted: { count: 0, cost: 0 }, rejected: { count: 0, cost: 0, byReason: {} } };
const runs = new MemoryRuns();
for (const date of dates) {
  const folder = `${date}/${allZones}/run-2`;
  const file = fileOf(`${folder}/billing.csv`, 'text/csv', () => billing(date));
  const day = { run: 2, nowMs: 0, resetsAtMs: 0, digest: '', isPublished: true } as const;
  const sealed: SealedRun = { ...day, state: 'final', folder, files: [sealOf(file)], totals };
  await runs.write({ ...noRuns({ date, timezone: allZones }), sealed });
}

const { s3, sent } = madeUpBucket((path) => billing(dates.find((date) => path.includes(date)) ?? ''));
const before = Math.round(process.resourceUsage().maxRSS / 1024);
const beganMs = systemClock();
const files = new S3ReportFiles({ s3, bucketName: 'reports' });
const log = { info: () => undefined, warn: () => undefined, error: () => undefined };
await writeMonth({ runs, files, clock: () => Date.parse('2026-11-04T12:15:00.000Z'), log }, month);
const seconds = (systemClock() - beganMs) / 1000;
const peakMb = process.resourceUsage().maxRSS / 1024;
console.log(
  `${dates.length} days of ${accounts} accounts: ${seconds.toFixed(1)} s, at most ${peakMb.toFixed(0)} MB (${before} MB before); ` +
    `${sent.reads} reads, ${sent.puts} puts of files or parts, ${(sent.bytes / 1e6).toFixed(0)} MB`,
);
