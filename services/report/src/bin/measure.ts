import { systemClock, toRfc3339 } from '@usher/limiter-core/bulk';
import { newReport } from '../aggregate/day-report.ts';
import { accountFilesOf } from '../forms/account-files.ts';
import { type ReportFile, sealOf } from '../forms/file.ts';
import { filesOf } from '../forms/files.ts';
import type { AccountDayFacts } from '../model/facts.ts';
import { factsOf } from '../testing/facts.ts';

// Measures a report of 10,000 accounts of 100 chunks each: seconds, and the process's peak memory up to then. The facts are
// made on the way; what that takes alone is told first.
const accounts = 10_000;
const chunks = 100;
const date = '2026-11-29';
const timezone = 'Europe/Berlin';
const startsAtMs = Date.parse('2026-11-28T23:00:00.000Z');

function* days(): Generator<AccountDayFacts> {
  for (let account = 0; account < accounts; account++) {
    const told = Array.from({ length: chunks }, (_, chunk) => {
      const acceptedAtMs = startsAtMs + ((chunk * 863_999 + account * 7919) % 86_400_000);
      return {
        bookingId: `bk_${account}_${chunk >> 3}`.padEnd(38, 'a'),
        chunk: chunk % 8,
        acceptedAt: toRfc3339(acceptedAtMs),
        decidedAt: toRfc3339(acceptedAtMs + ((chunk * account) % 900)),
        granted: { count: 80, cost: 160 },
        byReason: chunk % 4 === 0 ? { daily_quota_exceeded: { count: 20, cost: 40 } } : {},
      };
    });
    yield factsOf({ accountId: `account-${account}`, timezone, chunks: told });
  }
}

function measured<T>(name: string, act: () => T): T {
  const beganMs = systemClock();
  const result = act();
  const peakMiB = Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(`${name}: ${((systemClock() - beganMs) / 1000).toFixed(1)} s, peak ${peakMiB} MiB`);
  return result;
}

const bytesOf = (files: Iterable<ReportFile>): number => {
  let bytes = 0;
  for (const file of files) bytes += sealOf(file).bytes;
  return bytes;
};

measured('facts alone', () => {
  for (const { usageEvents } of days()) if (usageEvents.length !== chunks) throw new Error('facts are missing');
});
const report = measured('facts and report', () => {
  const maker = newReport({ date, timezone, run: 1, nowMs: Date.parse('2026-11-30T01:00:00.000Z') });
  for (const facts of days()) maker.add(facts);
  return maker.finish();
});
for (const file of filesOf(report)) console.log(`  ${measured(file.name, () => sealOf(file).bytes)} bytes`);
console.log(`  ${measured('files of the accounts', () => bytesOf(accountFilesOf(report)))} bytes`);
