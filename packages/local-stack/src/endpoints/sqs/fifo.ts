import { type } from 'arktype';
import type { Database } from '../database.ts';

const Head = type({ id: 'number', group_id: 'string' });
const Members = type({ id: 'number', visible_at: 'number' }).array();

/** The ids a FIFO receive may hand out, in the order it hands them out. */
export type FifoSelection = (queueName: string, nowMs: number, max: number) => number[];

/**
 * A group is locked while any of its messages is in flight. Of the free ones the group with the oldest message comes
 * first, with as many of its messages as the call has room for, then the next group. Within a group nothing overtakes:
 * the selection stops at the first message that is not visible yet.
 * Source: "FIFO queue delivery logic" in the SQS Developer Guide.
 */
export function createFifoSelection(database: Database): FifoSelection {
  const { sql } = database;
  const nextGroup = sql.prepare(`
    SELECT id, group_id FROM messages AS m INDEXED BY messages_in_order
    WHERE queue = :queue AND id > :after AND visible_at <= :now
      AND group_id NOT IN (SELECT value FROM json_each(:taken))
      AND group_id NOT IN (
        SELECT group_id FROM messages WHERE queue = :queue AND in_flight = 1 AND visible_at > :now)
      AND NOT EXISTS (
        SELECT 1 FROM messages AS earlier
        WHERE earlier.queue = m.queue AND earlier.group_id = m.group_id AND earlier.id < m.id
          AND earlier.visible_at > :now)
    ORDER BY id LIMIT 1`);
  const members = sql.prepare(
    'SELECT id, visible_at FROM messages WHERE queue = ? AND group_id = ? AND id >= ? ORDER BY id LIMIT ?',
  );

  return (queue, nowMs, max) => {
    const ids: number[] = [];
    const taken: string[] = [];
    let after = 0;
    while (ids.length < max) {
      const row = nextGroup.get({ queue, after, now: nowMs, taken: JSON.stringify(taken) });
      if (!row) break;
      const head = Head.assert(row);
      for (const member of Members.assert(members.all(queue, head.group_id, head.id, max - ids.length))) {
        if (member.visible_at > nowMs) break;
        ids.push(member.id);
      }
      taken.push(head.group_id);
      after = head.id;
    }
    return ids;
  };
}
