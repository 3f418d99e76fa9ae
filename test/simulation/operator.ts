import type { Queue } from './queue.ts';
import type { World } from './world.ts';

/** Starts what operators and other producers do: policies, redrives, messages that nobody can read or sent twice. */
export function startOperators(world: World): void {
  const { scenario, scheduler, coverage, bookings, bookingsDead, pacing, pacingDead, prng } = world;
  for (const { accountId, atMs, overrides, mistake = {} } of scenario.policyChanges) {
    const changed = { ...overrides, ...mistake };
    if (atMs < scenario.startMs) world.setPolicy(accountId, changed);
    else {
      scheduler.at(atMs, () => {
        if (Object.keys(mistake).length > 0) coverage.incident('policy made unreadable');
        else coverage.incident('dailyLimit' in overrides ? 'limit changed' : 'other policy field changed');
        world.note(`policy of ${accountId} changes: ${JSON.stringify(changed)}`);
        world.setPolicy(accountId, changed);
      });
    }
  }
  for (const { queue, accountId, atMs } of scenario.poison) {
    scheduler.at(atMs, () => {
      coverage.incident('poison message');
      const body = prng.pick(['{', '{"v":1,"kind":"chunk"}', 'null', '{"v":99}']);
      world.history.poison.push((queue === 'bookings' ? bookings : pacing).put(body, accountId));
    });
  }
  void redriveLater(world, bookingsDead, bookings);
  void redriveLater(world, pacingDead, pacing);
}

/** Whenever a message has landed in a dead-letter queue an operator redrives all of it, in his own time. */
async function redriveLater(world: World, dead: Queue, source: Queue): Promise<void> {
  for (;;) {
    if (dead.length === 0) await dead.changed();
    await world.scheduler.sleep(world.scenario.redriveAfterMs);
    const moved = dead.redriveTo(source);
    for (const [from, to] of moved) {
      world.coverage.incident('redriven');
      const at = world.history.poison.indexOf(from);
      if (at >= 0) world.history.poison[at] = to;
    }
    if (moved.size > 0) world.note(`${moved.size} messages are redriven from ${dead.name}`);
  }
}
