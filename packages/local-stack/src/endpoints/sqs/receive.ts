import type { Clock } from '@usher/limiter-core';
import { type } from 'arktype';
import type { Database } from '../database.ts';
import { createFifoSelection } from './fifo.ts';
import { MessageAttributes } from './message-attributes.ts';
import type { Queue, SqsQueueStore } from './queue-store.ts';
import { createRedrive } from './redrive.ts';

const MessageRow = type({
  id: 'number',
  message_id: 'string',
  body: 'string',
  attributes: type('null').or(type('string.json.parse').to(MessageAttributes)),
  group_id: 'string | null',
  deduplication_id: 'string | null',
  sent_at: 'number',
  receive_count: 'number',
  first_received_at: 'number',
  source_arn: 'string | null',
});
/** A message just received: the counts include this delivery. */
export type ReceivedMessage = typeof MessageRow.infer;

interface Received {
  readonly messages: readonly ReceivedMessage[];
  /** The dead-letter queue that got messages by this call, for those who wait there. */
  readonly redrivenTo: string | undefined;
}

export interface ReceiveOptions {
  readonly max: number;
  readonly visibilityTimeoutSeconds: number;
}

export type Receive = (queue: Queue, options: ReceiveOptions) => Received;

const Ids = type({ id: 'number' }).array();

/** Hands out what is visible and hides it for the visibility timeout, all in one transaction. */
export function createReceive(database: Database, queues: SqsQueueStore, clock: Clock): Receive {
  const { sql } = database;
  const redrive = createRedrive(database, queues, clock);
  const selectFifo = createFifoSelection(database);
  const selectStandard = sql.prepare(
    'SELECT id FROM messages WHERE queue = ? AND visible_at <= ? ORDER BY visible_at, id LIMIT ?',
  );
  const expire = sql.prepare('DELETE FROM messages WHERE queue = ? AND sent_at <= ?');
  const take = sql.prepare(`
    UPDATE messages SET in_flight = 1, visible_at = :visibleAt, receive_count = receive_count + 1,
      first_received_at = coalesce(first_received_at, :now)
    WHERE id = :id
    RETURNING id, message_id, body, attributes, group_id, deduplication_id, sent_at, receive_count,
      first_received_at, source_arn`);

  return (queue, options) =>
    database.transaction(() => {
      const nowMs = clock();
      expire.run(queue.name, nowMs - queue.settings.retentionSeconds * 1000);
      const redrivenTo = redrive(queue);
      const ids = queue.fifo
        ? selectFifo(queue.name, nowMs, options.max)
        : Ids.assert(selectStandard.all(queue.name, nowMs, options.max)).map((row) => row.id);
      const visibleAtMs = nowMs + options.visibilityTimeoutSeconds * 1000;
      const messages = ids.map((id) => MessageRow.assert(take.get({ id, now: nowMs, visibleAt: visibleAtMs })));
      return { messages, redrivenTo };
    });
}
