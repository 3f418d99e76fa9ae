import { createHash } from 'node:crypto';
import {
  builtInPolicy,
  type ChunkToSettle,
  dispatchTimes,
  MemoryAccountStore,
  resolvePolicy,
  Settler,
  toRfc3339,
  virtualClock,
  windowAt,
} from '../index.ts';

const clock = virtualClock('2026-11-29T12:00:00.000Z'); // in a service: systemClock
const policy = resolvePolicy(builtInPolicy, {
  dailyLimit: 10,
  refillPerSecond: 2,
  burst: 4,
  timezone: 'Europe/Berlin',
});

function chunkOf(chunkIndex: number, costs: Record<string, number>): ChunkToSettle {
  const acceptedAtMs = clock();
  return {
    bookingId: 'bk_1',
    chunkIndex,
    digest: createHash('sha256').update(JSON.stringify(costs)).digest('hex').slice(0, 32),
    acceptedAtMs,
    date: windowAt(acceptedAtMs, policy.timezone).date,
    bookingMode: 'partial',
    rows: Object.entries(costs).map(([id, cost]) => ({ id, cost })),
  };
}

const settler = new Settler({ store: new MemoryAccountStore(), defaultPolicy: policy, clock });
const first = chunkOf(0, { 'A-1': 4, 'A-2': 8, 'A-3': 2 });
const second = chunkOf(1, { 'A-4': 4, 'A-5': 1 });

// The first chunk is delivered twice, as a queue may do.
for (const chunks of [[first], [first, second]]) {
  const results = await settler.settle('acme', chunks);
  for (const [i, result] of results.entries()) {
    const chunk = chunks[i];
    if (chunk === undefined || result.kind !== 'settled') throw new Error('refused, or failed: to be tried again');
    const due = dispatchTimes(result.outcome, chunk.rows);
    for (const [row, { id }] of chunk.rows.entries()) {
      const at = due[row] ?? null;
      const decision = at === null ? result.outcome.reasons[row] : `granted, due ${toRfc3339(at)}`;
      console.log(`${id} ${decision} (${result.origin})`);
    }
  }
}
