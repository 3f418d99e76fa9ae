import { retention } from '@usher/limiter-core/bulk';
import { rowsOfPage } from './history.ts';
import type { IntakeFleet } from './partner.ts';
import { type Settlement, walkSettlements } from './settlements.ts';
import { dayMs } from './times.ts';
import { read } from './wire.ts';
import type { World } from './world.ts';

/** Promise 2, as partners see it: the status page tells each row's first verdict and its time. */
export async function checkStatuses(world: World, fleet: IntakeFleet): Promise<void> {
  const { history, scheduler } = world;
  if (history.violations.length > 0) return;
  world.faults.endForGood();
  const settled = new Map([...walkSettlements(history, () => {}).values()].flatMap((of) => [...of]));
  for (const { plan, accepted, pages } of history.bookings) {
    if (accepted === undefined) continue;
    const { bookingId, acceptedAt } = accepted.answer;
    const chunks = accepted.answer.chunks;
    const decided = Array.from({ length: chunks }, (_, i) => settled.get(`${bookingId}#${i}`));
    const expected = decided.flatMap((first) => (first === undefined ? [] : rowsOf(first)));
    for (const rows of pages) {
      const wrong = rows.find((row, i) => row !== expected[i]);
      if (wrong !== undefined) world.violate(2, `a status page of ${bookingId} told "${wrong}", which it is not`);
    }
    // Past its time, or in quarantine: the page has nothing to tell.
    const oldestMs = Math.min(...decided.map((first) => first?.outcome.settledAtMs ?? 0));
    const agesMs = [scheduler.nowMs - Date.parse(acceptedAt), scheduler.nowMs - oldestMs];
    if (agesMs.some((ageMs) => ageMs > retention.outcomeMs - dayMs)) continue;
    const asking = fleet.request(plan.accountId, `/v1/bookings/${bookingId}`);
    await scheduler.run();
    const answer = await asking;
    const page = answer?.status === 200 ? read.statusPage(answer.body) : undefined;
    const found = page === undefined ? undefined : rowsOfPage(page);
    if (page?.status === 'decided' && JSON.stringify(found) === JSON.stringify(expected)) continue;
    world.violate(2, `the status of ${bookingId} is ${answer?.status} ${page?.status}: ${found}, not ${expected}`);
  }
}

function rowsOf({ message, dueAtMs }: Settlement): string[] {
  return message.reservations.map(({ id }, row) => {
    const atMs = dueAtMs[row] ?? null;
    return atMs === null ? `${id} rejected ` : `${id} granted ${new Date(atMs).toISOString()}`;
  });
}
