import { consume } from './consume.ts';
import { batchOf, bodyOf, sampleDay, sampleDetail } from './sample-events.ts';
import { startTables } from './table-in-memory.ts';

// The consumer without AWS: sample events into a table in memory, one of them twice, one late, and one that is none.
const tables = await startTables();
const usage = await tables.make();

const first = bodyOf(sampleDetail({ chunk: 0, granted: 40, used: 40, decidedAt: '2026-11-29T12:00:00.000Z' }));
const second = bodyOf(
  sampleDetail({ chunk: 1, granted: 50, rejected: 20, used: 90, decidedAt: '2026-11-29T12:00:01.000Z' }),
);
const batch = batchOf({ second, first, again: second, bad: bodyOf({ usage: 'lots' }) });
const { batchItemFailures } = await consume(batch, {
  usage,
  onFailure: (messageId, error) =>
    console.log(messageId, 'comes again:', error instanceof Error ? error.message : error),
});
console.log('failed', batchItemFailures.map(({ itemIdentifier }) => itemIdentifier).join(' '));
console.log('totals', JSON.stringify(await usage.totals(sampleDay)));
console.log('latest', JSON.stringify(await usage.latest(sampleDay)));
await tables.close();
